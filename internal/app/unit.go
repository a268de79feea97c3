package app

import (
	"context"

	"portico/internal/fault"
	"portico/internal/store"
	"portico/internal/telemetry/span"
)

// unit gives a room the transactions of the store as the interface that the
// room declares: Go has no way to say that a function which takes the one also
// takes the other. It marks them in the trace.
type unit[T any] struct {
	store *store.Store
	as    func(*store.Tx) T
}

// Write runs fn in one transaction.
func (u unit[T]) Write(ctx context.Context, fn func(T) error) error {
	ctx, s := span.Start(ctx, span.StoreWrite)
	err := u.store.Write(ctx, func(tx *store.Tx) error { return fn(u.as(tx)) })
	s.End(failure(err))
	return err
}

// Read runs fn outside a transaction.
func (u unit[T]) Read(ctx context.Context, fn func(T) error) error {
	ctx, s := span.Start(ctx, span.StoreRead)
	err := u.store.Read(ctx, func(tx *store.Tx) error { return fn(u.as(tx)) })
	s.End(failure(err))
	return err
}

// failure returns the code of what is to be seen as an error in a trace: not
// what a person did wrong.
func failure(err error) string {
	if err == nil {
		return ""
	}
	f := fault.From(err)
	if f.Kind == fault.Internal || f.Kind == fault.Unavailable {
		return f.Code
	}
	return ""
}
