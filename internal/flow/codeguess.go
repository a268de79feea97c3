package flow

import (
	"context"
	"slices"
	"time"

	"portico/internal/code"
	"portico/internal/fault"
	"portico/internal/throttle"
)

// codeWays returns the ways of a guess of a flow's code by the caller.
func (f *Flows) codeWays(ctx context.Context, tx Tx, c Caller, p Pending) ([]way, error) {
	step, key := throttle.Attempt{Limit: codeFlow, Subject: p.ID}, p.AddressKey
	ways := []way{{fromNetwork(codePeer, c), []throttle.Attempt{step, {Limit: codeAddress, Subject: key}, {Limit: codeRow, Subject: key}}}}
	if c.Device == "" {
		return ways, nil // and nothing is read
	}
	to, err := f.addressed(ctx, tx, key)
	if err != nil {
		return nil, err
	}
	device, err := f.knownDevice(ctx, tx, c, to.owner)
	if device != "" {
		known := way{counts: []throttle.Attempt{step, {Limit: codeKnown, Subject: key}, {Limit: codeKnownRow, Subject: key}}}
		ways = append([]way{known}, ways...)
	}
	return ways, err
}

// countGuess counts a guess of a flow's code in the first way that allows it. It returns
// how many guesses remain, and the network's attempts. If the flow has no guesses left, it
// returns code.UsedUp, and a new flow helps. If the address or the network has none left, it
// returns code.Locked or code.LinkOnly, and only the mailed link helps.
func (f *Flows) countGuess(ctx context.Context, tx Tx, ways []way) (left int, network []throttle.Attempt, refused *fault.Error, err error) {
	var waits []time.Duration
	for _, w := range ways {
		d, err := f.takeGuess(ctx, tx, w)
		switch {
		case err != nil || d.Allowed:
			return d.Left, w.network, nil, err
		case d.By == codeFlow.Name:
			return 0, nil, code.UsedUp, nil
		}
		waits = append(waits, d.Wait)
	}
	return 0, nil, locked(slices.Min(waits)), nil
}

// takeGuess counts a guess in a way. The network's attempts do not count as guesses that
// are left.
func (f *Flows) takeGuess(ctx context.Context, tx Tx, w way) (throttle.Decision, error) {
	d, err := f.limiter.Take(ctx, tx, w.network...)
	if err != nil || !d.Allowed {
		return d, err
	}
	if d, err = f.limiter.Take(ctx, tx, w.counts...); err == nil && !d.Allowed {
		err = f.limiter.Return(ctx, tx, w.network...)
	}
	return d, err
}

// guessLock returns the fault of the next guess if the address or the network
// has none left, else nil.
func (f *Flows) guessLock(ctx context.Context, tx Tx, ways []way) (*fault.Error, error) {
	var waits []time.Duration
	for _, w := range ways {
		wait, err := f.limiter.Wait(ctx, tx, slices.Concat(w.network, w.counts[1:])...)
		if err != nil || wait == 0 {
			return nil, err
		}
		waits = append(waits, wait)
	}
	return locked(slices.Min(waits)), nil
}

// locked says for how long no code helps. Only the counts of consecutive guesses make a
// caller wait longer than an hour, which outlasts every code.
func locked(wait time.Duration) *fault.Error {
	if wait > codeAddress.Window {
		return code.LinkOnly
	}
	return code.Locked.WithRetryAfter(throttle.Rounded(wait))
}

// forgetGuesses resets the consecutive wrong guesses of the address.
func (f *Flows) forgetGuesses(ctx context.Context, tx Tx, key string) error {
	return f.clear(ctx, tx, throttle.Attempt{Limit: codeRow, Subject: key}, throttle.Attempt{Limit: codeKnownRow, Subject: key})
}
