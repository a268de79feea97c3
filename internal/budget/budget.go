// Package budget bounds what the steps of one request wait for together, so that
// its person gets an answer in time when each step alone would wait long. Who
// answers the request gives it a Budget; who waits looks for it in the context,
// and work that no request waits for has none.
package budget

import (
	"context"
	"sync/atomic"
	"time"
)

// Key is under which a context carries a *Budget.
type Key struct{}

// least is what a step gets that comes after slow ones: what they have done may
// be all but finished.
const least = 250 * time.Millisecond

// Budget is what one request has waited so far. The zero value has waited for
// nothing; a nil one stays so. It is safe for concurrent use.
type Budget struct{ spent atomic.Int64 }

// Of returns the Budget of the request that ctx belongs to, nil when it belongs
// to none.
func Of(ctx context.Context) *Budget {
	b, _ := ctx.Value(Key{}).(*Budget)
	return b
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
