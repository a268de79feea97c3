package flow

import (
	"context"
	"slices"
	"strings"

	"portico/internal/audit"
	"portico/internal/factor"
)

// byAlarm is the detail of a record about a change that an alarm made. After another
// detail it follows a comma.
const byAlarm = "alarm"

// ByAlarm reports whether an alarm made the change of a record.
func ByAlarm(r audit.Fact) bool {
	switch r.Name {
	case audit.AddressChanged, audit.AddressRemoved, audit.RecoverySet, audit.PasswordRemoved, audit.CodesRemoved:
		return r.Detail == byAlarm
	case audit.FactorRemoved, audit.PasskeyRemoved, audit.ProviderRemoved, audit.ConsentRevoked, audit.APIKeyEnded:
		return strings.HasSuffix(r.Detail, ","+byAlarm)
	}
	return false
}

// dropped records what an alarm has removed.
func (f *Flows) dropped(ctx context.Context, tx Tx, c Caller, id string, name audit.Name, what string) error {
	return f.record.Add(ctx, tx, fact(c, name, id, what+","+byAlarm))
}

// dropPassword removes the password, even if it was not changed: the thief has
// probably signed in with it.
func (f *Flows) dropPassword(ctx context.Context, tx Tx, c Caller, owner cleared) error {
	if err := tx.UpdatePassword(ctx, owner.ID, ""); err != nil || owner.Password == "" {
		return err
	}
	return f.record.Add(ctx, tx, fact(c, audit.PasswordRemoved, owner.ID, byAlarm))
}

// dropAdded removes what was added to an account in the time of an alarm and signs in
// to it.
func (f *Flows) dropAdded(ctx context.Context, tx Tx, c Caller, owner cleared) error {
	for _, drop := range []func(context.Context, Tx, Caller, cleared) error{f.dropFactors, f.dropCodes, f.dropPasskeys, f.dropIdentities} {
		if err := drop(ctx, tx, c, owner); err != nil {
			return err
		}
	}
	return nil
}

func (f *Flows) dropFactors(ctx context.Context, tx Tx, c Caller, owner cleared) error {
	id := owner.ID
	factors, err := tx.FactorsOf(ctx, id)
	if err != nil {
		return err
	}
	for _, each := range factors {
		if !recent(each.CreatedAt, f.clock.Now()) {
			continue
		}
		if _, err := tx.DeleteFactor(ctx, id, each.ID); err != nil {
			return err
		}
		if err := f.dropped(ctx, tx, c, id, audit.FactorRemoved, string(factor.TOTP)); err != nil {
			return err
		}
	}
	return nil
}

// dropCodes removes all recovery codes, which have no time.
func (f *Flows) dropCodes(ctx context.Context, tx Tx, c Caller, owner cleared) error {
	id := owner.ID
	left, err := tx.RecoveryCodesOf(ctx, id)
	if err != nil || len(left) == 0 {
		return err
	}
	if err := tx.DeleteRecoveryCodes(ctx, id); err != nil {
		return err
	}
	return f.record.Add(ctx, tx, fact(c, audit.CodesRemoved, id, byAlarm))
}

func (f *Flows) dropPasskeys(ctx context.Context, tx Tx, c Caller, owner cleared) error {
	id := owner.ID
	passkeys, err := tx.PasskeysOf(ctx, id)
	if err != nil {
		return err
	}
	for _, each := range passkeys {
		if !recent(each.CreatedAt, f.clock.Now()) {
			continue
		}
		if _, err := tx.DeletePasskey(ctx, id, each.ID); err != nil {
			return err
		}
		if err := f.dropped(ctx, tx, c, id, audit.PasskeyRemoved, each.Model); err != nil {
			return err
		}
	}
	return nil
}

func (f *Flows) dropIdentities(ctx context.Context, tx Tx, c Caller, owner cleared) error {
	id := owner.ID
	linked, err := tx.IdentitiesOf(ctx, id)
	if err != nil {
		return err
	}
	for _, each := range linked {
		if !recent(each.CreatedAt, f.clock.Now()) {
			continue
		}
		gone, err := f.unlink(ctx, tx, c, &owner, each.Provider, fact(c, audit.RolesChanged, id, ""), false)
		if err != nil {
			return err
		}
		if !gone {
			continue // the deletion for an earlier identity at this provider took it too
		}
		if err := f.dropped(ctx, tx, c, id, audit.ProviderRemoved, each.Provider); err != nil {
			return err
		}
	}
	return nil
}

// dropApps takes back what an account lets OpenID clients know, by few statements: a thief may have let very many in.
// endAll has ended all that they have obtained.
func (f *Flows) dropApps(ctx context.Context, tx Tx, c Caller, id string) error {
	known, err := tx.DeleteConsents(ctx, id)
	if err != nil {
		return err
	}
	slices.Sort(known)
	for i := range known {
		known[i] += "," + byAlarm
	}
	return f.record.addEach(ctx, tx, fact(c, audit.ConsentRevoked, id, ""), known...)
}
