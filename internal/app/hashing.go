package app

import (
	"context"
	"fmt"
	"time"

	"portico/internal/config"
	"portico/internal/password"
	"portico/internal/store"
)

// takePasswords takes the rule for new passwords, and judges the cost of a hash.
func (p *parts) takePasswords(r *config.Report) error {
	cfg := p.config
	policy, ok := password.Profile(cfg.Password.Profile)
	if !ok {
		return fmt.Errorf("the password profile %q is not known", cfg.Password.Profile)
	}
	if cfg.Password.Min != 0 {
		policy.Min = cfg.Password.Min
	}
	p.policy = policy
	if most := leastCost(cfg).MostSlots(); cfg.Hashing.Slots > most {
		r.Add("hashing.slots", fmt.Sprintf("%d hashes of %d MiB at a time need more memory than hashes may have", cfg.Hashing.Slots, cfg.Hashing.MemoryMiB),
			fmt.Sprintf("write at most %d, or a smaller hashing.memory_mib", most), "hashing.memory_mib")
	}
	return nil
}

func leastCost(cfg config.Config) password.Cost {
	return password.Cost{Memory: uint32(cfg.Hashing.MemoryMiB) << 10, Passes: uint32(cfg.Hashing.Passes)}
}

// hashCost returns the cost of new password hashes. With password.hash = "auto"
// only a serving node measures it. The database keeps the result, so that all
// nodes and commands use the same cost.
func (a *App) hashCost(ctx context.Context) (password.Cost, error) {
	least := leastCost(a.Config)
	if a.Config.Password.Hash != "auto" {
		return least, nil
	}
	var previous password.Cost
	err := a.Store.Read(ctx, func(tx *store.Tx) error {
		kept, ok, err := tx.HashCost(ctx)
		if ok {
			previous, _ = password.ParseCost(kept) // treat a damaged value as none
		}
		return err
	})
	if err != nil {
		return least, err
	}
	if !a.options.Calibrate {
		return password.Cost{Memory: max(previous.Memory, least.Memory), Passes: max(previous.Passes, least.Passes)}, nil
	}
	return a.calibrate(ctx, password.Budget{
		Least: least, Slots: a.Config.Hashing.Slots, PerSecond: a.Config.Password.SignInsPerSecond, Previous: previous,
	})
}

func (a *App) calibrate(ctx context.Context, budget password.Budget) (password.Cost, error) {
	c, err := password.Calibrate(budget)
	if err != nil {
		return c.Cost, err
	}
	figures := []any{
		"memory_mib", c.Cost.Memory >> 10, "passes", c.Cost.Passes, "hash", c.Taken.Round(time.Millisecond).String(),
		"signins_per_second", int(c.PerSecond), "measured_in", c.Spent.Round(time.Millisecond).String(),
	}
	if c.Kept {
		a.log.Info("chose the cost of password hashes", figures...)
	} else {
		a.log.Warn("even the lowest cost of password hashes exceeds 250 ms or the rate of password.signins_per_second", figures...)
	}
	if c.Cost == budget.Previous {
		return c.Cost, nil
	}
	return c.Cost, a.Store.Write(ctx, func(tx *store.Tx) error { return tx.KeepHashCost(ctx, c.Cost.String()) })
}
