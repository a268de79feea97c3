package app

import (
	"context"

	"portico/internal/outbox"
	"portico/internal/store"
)

// DeadLetters returns up to limit emails that were given up, newest first.
func (a *App) DeadLetters(ctx context.Context, limit int) (letters []outbox.Letter, err error) {
	err = a.Store.Read(ctx, func(tx *store.Tx) error {
		letters, err = a.Outbox.List(ctx, tx, limit)
		return err
	})
	return letters, err
}

// RetryLetter queues an email again that was given up.
func (a *App) RetryLetter(ctx context.Context, id string) error {
	return a.Store.Write(ctx, func(tx *store.Tx) error { return a.Outbox.Retry(ctx, tx, id) })
}
