package app

import (
	"context"

	"portico/internal/audit"
	"portico/internal/clock"
	"portico/internal/config"
	"portico/internal/store"
)

// RestoreOptions are the operator's choices for Restore.
type RestoreOptions struct {
	Replace     bool // move an existing database aside
	EndSessions bool // end all sessions of the backup
}

// Restored is the result of Restore.
type Restored struct {
	Kept  string // new path of the previous database; "" if there was none
	Mails int64  // number of emails that waited in the backup; they are not sent without a retry
}

// Restore puts a backup in place of the database. It first checks the backup
// and that the key file matches it. So that nothing happens twice, it ends
// pending flows and gives up waiting emails; the operator can retry those.
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
