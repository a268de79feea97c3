package app

import (
	"context"

	"portico/internal/audit"
	"portico/internal/clock"
	"portico/internal/config"
	"portico/internal/store"
)

// RestoreOptions are what an operator may choose of a Restore.
type RestoreOptions struct {
	Replace     bool // put aside a database that is there
	EndSessions bool // of the time of the copy
}

// Restored tells what a Restore has done.
type Restored struct {
	Kept  string // where the files of the database before are; "" when there was none
	Mails int64  // that waited in the copy and are not sent by themselves
}

// Restore puts a copy of the database in place, once it is sound and the key
// file is the one that it was made with. What the copy would do a second time
// is off: pending steps end, and mail that waits is left to the operator.
func Restore(ctx context.Context, cfg config.Config, file string, options RestoreOptions) (r Restored, err error) {
	now := clock.System{}
	r.Kept, err = store.Restore(ctx, cfg.DatabaseURL, file, options.Replace, func(s *store.Store) error {
		key, err := openKey(ctx, cfg, s)
		if err != nil {
			return err
		}
		if err := checkKey(ctx, s, key, cfg.SecretFile, store.Real); err != nil {
			return err
		}
		return s.Write(ctx, func(tx *store.Tx) error {
			r.Mails, err = tx.Rewind(ctx, now.Now(), "restored from a copy: it may have been sent since", options.EndSessions)
			if err != nil {
				return err
			}
			return audit.NewRecord(now).Add(ctx, tx, audit.Fact{Name: audit.Restored, Actor: "operator"})
		})
	})
	return r, err
}
