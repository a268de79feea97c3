package app

import (
	"context"
	"fmt"
	"time"

	"portico/internal/config"
	"portico/internal/masterkey"
	"portico/internal/secret"
	"portico/internal/store"
)

// KeyNeeds returns what still needs the former master key. The result is empty if no key
// was changed, and when the former one can go.
func KeyNeeds(ctx context.Context, s *store.Store, key *secret.Key, cfg config.Config, now time.Time) (needs []string, err error) {
	var formers []masterkey.Former
	var owed masterkey.Owed
	var unlike int
	err = s.Read(ctx, func(tx *store.Tx) error {
		if formers, err = tx.FormerKeys(ctx); err != nil || len(formers) == 0 {
			return err
		}
		rows, err := tx.Nodes(ctx)
		if err != nil {
			return err
		}
		for _, r := range rows {
			if !r.Keys.Seals(key.ID()) {
				unlike++
			}
		}
		owed, err = tx.OwedToFormerKey(ctx, since(formers[0]), now)
		return err
	})
	if err != nil || len(formers) == 0 {
		return nil, err
	}
	found, err := masterkey.Survey(ctx, unit[masterkey.Store]{s, func(tx *store.Tx) masterkey.Store { return tx }}, key)
	if err != nil {
		return nil, err
	}
	n := masterkey.Left(found)
	switch {
	case n > 0:
		needs = append(needs, fmt.Sprintf("rows sealed with it (%d): run 'portico secret rotate'", n))
	case formers[0].DoneAt.IsZero():
		needs = append(needs, "the change is not complete: run 'portico secret rotate'")
	}
	if unlike > 0 {
		needs = append(needs, fmt.Sprintf("nodes that seal with it, or did within the last 10 minutes (%d): see their logs", unlike))
	}
	if owed.Steps > 0 {
		needs = append(needs, fmt.Sprintf("sign-ups, resets and other steps with mailed codes from before the change (%d): wait up to an hour", owed.Steps))
	}
	if owed.Grants > 0 {
		needs = append(needs, fmt.Sprintf("sign-ins at OpenID clients with a refresh token from before the change (%d): wait, or these users sign in again at the client", owed.Grants))
	}
	if until := since(formers[0]).Add(cfg.Session.Absolute); len(appHosts(cfg)) > 0 && now.Before(until) {
		needs = append(needs, "cookies from before the change at the hosts of apps, perhaps: wait until "+until.Format(time.DateOnly)+", or pages there are loaded once more by the public host")
	}
	return needs, nil
}

// since returns from when on all nodes use the next key.
func since(f masterkey.Former) time.Time {
	if f.DoneAt.IsZero() {
		return f.ChangedAt
	}
	return f.DoneAt
}
