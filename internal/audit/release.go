package audit

import (
	"context"
	"errors"
	"time"
)

const (
	// mostReleased bounds one transaction.
	mostReleased = 500
	// releaseEach saves the writes of an installation that has little to delete.
	releaseEach = time.Hour
)

var errChain = errors.New("the table audit_chain was changed by something else, so no audit records are deleted: run 'portico audit verify'")

// Release moves the beginning of the chain, so that records from before a time may be deleted.
// It returns from before when they may be: an old seal that also covers younger records stays whole.
func (s *Sealer) Release(ctx context.Context, tx SealStore, before time.Time) (until time.Time, more bool, err error) {
	c, err := tx.Chain(ctx)
	if err != nil || len(c.Sealed) == 0 {
		return before, false, err
	}
	if before.Sub(c.Until) < releaseEach {
		return c.Until, false, nil
	}
	key, err := s.box.Open(c.Sealed, chainContext)
	if err == nil && !c.proven(key) {
		err = errChain
	}
	if err != nil {
		return c.Until, false, err
	}
	seals, err := tx.Seals(ctx, c.Number, mostReleased)
	if err != nil {
		return c.Until, false, err
	}
	until, more = before, len(seals) == mostReleased
	for _, seal := range seals {
		if !seal.Last.At.Before(before) {
			until, more = earlier(seal.FirstAt, before), false
			break
		}
		c.Number, c.Hash = seal.Number, seal.Hash
	}
	if more {
		until = c.Until // once the last of them is gone
	}
	if until.After(c.Until) {
		c.Until = until
	}
	c.Proof = c.proof(key)
	if err := tx.KeepChain(ctx, c); err != nil {
		return c.Until, false, err
	}
	return c.Until, more, tx.ReleaseSeals(ctx, c.Number)
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
