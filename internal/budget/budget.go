// Package budget bounds how long all steps of one request wait together, so
// that the visitor gets a response in time. Each step alone could wait longer.
// The handler of a request puts a Budget into the context, and code that waits
// looks for it there. Work outside a request has none.
package budget

import (
	"context"
	"sync/atomic"
	"time"
)

// Key is the context key of a *Budget.
type Key struct{}

// least is the time for a step that follows slow ones: the work before it may
// be almost done.
const least = 250 * time.Millisecond

// Budget is how long one request has waited so far. The zero value has not
// waited; a nil one counts nothing. It is safe for concurrent use.
type Budget struct{ spent atomic.Int64 }

// Of returns the Budget of the request that ctx belongs to, nil when it belongs
// to none.
func Of(ctx context.Context) *Budget {
	b, _ := ctx.Value(Key{}).(*Budget)
	return b
}

// Renew lets the next part of a long request wait as long as a whole request.
func (b *Budget) Renew() {
	if b != nil {
		b.spent.Store(0)
	}
}

// Left returns how much of whole the next step may wait.
func (b *Budget) Left(whole time.Duration) time.Duration {
	if b == nil {
		return whole
	}
	return max(whole-time.Duration(b.spent.Load()), min(whole, least))
}

// Spend counts what a step has waited.
func (b *Budget) Spend(d time.Duration) {
	if b != nil {
		b.spent.Add(int64(d))
	}
}
