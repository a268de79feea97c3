package flow

import (
	"context"
	"crypto/sha256"

	"portico/internal/budget"
	"portico/internal/ids"
	"portico/internal/once"
	"portico/internal/throttle"
)

// turn is the right of one request to carry out what an Idempotency-Key stands for.
type turn struct {
	hash []byte
	id   string
}

// Once begins a request with an Idempotency-Key. asked is the hash of all that the Actor asks for, of which the database has
// a keyed hash: it may have a password. It returns the answer of the first request, or the Actor that carries it out. The caller ends that with
// Answered or Refused.
//
// Faults: once.Other, once.Running, once.Lost, throttle.Limited.
func (f *Operator) Once(ctx context.Context, by Actor, key string, asked []byte) (Actor, string, error) {
	sum := sha256.Sum256([]byte(by.name + "\x00" + key))
	now := f.clock.Now()
	c := &turn{sum[:], ids.New()}
	keyed := f.requests.Sum(string(asked))
	var answer string
	var d throttle.Decision
	err := f.store.Write(ctx, func(tx Tx) error {
		former, ok, err := tx.OnceByHash(ctx, c.hash)
		if err != nil {
			return err
		}
		same, free := keyed, false
		if f.requests.Is(former.Asked, string(asked)) { // also under a former master key
			same = former.Asked
		}
		if answer, free, err = once.Judge(former, ok, string(same), now); err != nil || !free {
			return err
		}
		if d, err = f.limiter.Take(ctx, tx, throttle.Attempt{Limit: adminOnce, Subject: by.name}); err != nil || !d.Allowed {
			return err
		}
		claimed, err := tx.ClaimOnce(ctx, once.Row{Hash: c.hash, Asked: keyed, Claim: c.id, BegunAt: now, Expires: now.Add(once.Keep)}, former.Claim)
		if err == nil && !claimed {
			err = once.Running
		}
		return err
	})
	switch {
	case err != nil || answer != "":
		return by, answer, err
	case !d.Allowed:
		return by, "", throttle.Limited(throttle.Rounded(d.Wait))
	}
	by.once = c
	return by, "", nil
}

// marked says, in the transaction of a change, that the change of a turn is in the database. Another
// request may have taken the turn over, if this one was frozen for a long time.
func marked(ctx context.Context, tx Tx, c *turn) error {
	if c == nil {
		return nil
	}
	ok, err := tx.MarkOnce(ctx, c.hash, c.id)
	if err == nil && !ok {
		err = once.Running
	}
	return err
}

// Answered keeps the answer to a request that Once has begun. A request that only tried has changed nothing, so its answer,
// which may be large, is not kept.
//
// Answered and Refused do not end with ctx, nor with the time of the request: who sent it may have gone, and sends it again
// with the same key.
func (f *Operator) Answered(ctx context.Context, by Actor, answer string) error {
	ctx = afterwards(ctx)
	return f.store.Write(ctx, func(tx Tx) error {
		if err := tx.AnswerOnce(ctx, by.once.hash, by.once.id, answer); err != nil {
			return err
		}
		return tx.DropOnce(ctx, by.once.hash, by.once.id)
	})
}

// Refused gives the key of a request free again that has changed nothing.
func (f *Operator) Refused(ctx context.Context, by Actor) error {
	ctx = afterwards(ctx)
	return f.store.Write(ctx, func(tx Tx) error { return tx.DropOnce(ctx, by.once.hash, by.once.id) })
}

// afterwards is the context for what follows a request that may have spent its time.
func afterwards(ctx context.Context) context.Context {
	budget.Of(ctx).Renew()
	return context.WithoutCancel(ctx)
}
