package app

import (
	"context"

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

// rewind ends what would happen again, and records that the database was restored.
func rewind(ctx context.Context, tx *store.Tx, c clock.Clock, detail string, endSessions bool) (mails int64, err error) {
	mails, err = tx.Rewind(ctx, c.Now(), "restored from a copy: it may have been sent since", endSessions)
	if err != nil {
		return 0, err
	}
	return mails, noteRestored(ctx, tx, c, detail)
}

// Restore puts a backup in place of the database. It first checks the backup
// and that the key file matches it. So that nothing happens twice, it ends
// pending flows and gives up waiting emails; the operator can retry those.
func Restore(ctx context.Context, cfg config.Config, file string, options RestoreOptions) (r Restored, err error) {
	r.Kept, err = store.Restore(ctx, cfg.DatabaseURL, file, options.Replace, func(s *store.Store) error {
		key, err := openKey(ctx, cfg, s)
		if err != nil {
			return err
		}
		if err := checkKey(ctx, s, key, cfg.SecretFile, store.Real); err != nil {
			return err
		}
		return s.Write(ctx, func(tx *store.Tx) error {
			if r.Mails, err = rewind(ctx, tx, clock.System{}, "", options.EndSessions); err != nil {
				return err
			}
			return tx.KeepLineage(ctx, "") // the name in a backup says that it is one
		})
	})
	return r, err
}
