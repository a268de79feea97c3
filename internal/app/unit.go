package app

import (
	"context"

	"portico/internal/store"
)

// unit gives a room the transactions of the store as the interface that the
// room declares: Go has no way to say that a function which takes the one also
// takes the other.
type unit[T any] struct {
	store *store.Store
	as    func(*store.Tx) T
}

// Write runs fn in one transaction.
func (u unit[T]) Write(ctx context.Context, fn func(T) error) error {
	return u.store.Write(ctx, func(tx *store.Tx) error { return fn(u.as(tx)) })
}

// Read runs fn outside a transaction.
func (u unit[T]) Read(ctx context.Context, fn func(T) error) error {
	return u.store.Read(ctx, func(tx *store.Tx) error { return fn(u.as(tx)) })
}
