package app

import (
	"context"

	"portico/internal/outbox"
	"portico/internal/store"
)

// Undelivered returns up to limit emails that were given up, newest first.
func (a *App) Undelivered(ctx context.Context, limit int) (list []outbox.Undelivered, err error) {
	err = a.Store.Read(ctx, func(tx *store.Tx) error {
		list, err = a.Outbox.List(ctx, tx, limit)
		return err
	})
	return list, err
}

// RetryEmail queues an email again that was given up.
func (a *App) RetryEmail(ctx context.Context, id string) error {
	return a.Store.Write(ctx, func(tx *store.Tx) error { return a.Outbox.Retry(ctx, tx, id) })
}
