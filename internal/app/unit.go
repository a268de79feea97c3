package app

import (
	"context"

	"portico/internal/fault"
	"portico/internal/store"
	"portico/internal/telemetry/span"
)

// unit passes transactions of the store as the interface T that a consumer
// declares, since Go does not convert func(*store.Tx) to func(T). It also adds
// a span for each.
type unit[T any] struct {
	store *store.Store
	as    func(*store.Tx) T
}

// Write runs fn in one transaction. fn may run more than once, as store.Write
// documents.
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

// failure returns the fault code that marks a span as failed, or "" for success
// and for mistakes of the visitor.
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
