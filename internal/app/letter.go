package app

import (
	"context"

	"portico/internal/outbox"
	"portico/internal/store"
)

// DeadLetters lists up to limit mails that were given up, newest first.
func (a *App) DeadLetters(ctx context.Context, limit int) (letters []outbox.Letter, err error) {
	err = a.Store.Read(ctx, func(tx *store.Tx) error {
		letters, err = a.Outbox.List(ctx, tx, limit)
		return err
	})
	return letters, err
}

// RetryLetter puts a mail that was given up back into the queue.
func (a *App) RetryLetter(ctx context.Context, id string) error {
	return a.Store.Write(ctx, func(tx *store.Tx) error { return a.Outbox.Retry(ctx, tx, id) })
}
