package flow

import (
	"context"
	"slices"
	"time"

	"portico/internal/code"
	"portico/internal/fault"
	"portico/internal/throttle"
)

// guess holds the limits of one guess of a flow's code.
type guess struct {
	network []throttle.Attempt
	code    []throttle.Attempt
}

// guessing returns the limits of a guess by the caller. A browser that the owner
// has used has its own counts, so that strangers cannot use up the owner's
// guesses.
func (f *Flows) guessing(ctx context.Context, tx Tx, c Caller, p Pending) (guess, error) {
	subject, known, err := f.guesser(ctx, tx, c, p.AddressKey)
	g := guess{code: []throttle.Attempt{
		{Limit: codeFlow, Subject: p.ID}, {Limit: codeAddress, Subject: subject}, {Limit: codeRow, Subject: subject},
	}}
	if !known {
		g.network = fromNetwork(codePeer, c)
	}
	return g, err
}

// guesser returns the subject of a guess: the address, or a known browser of its
// owner. Without a device cookie it reads nothing, so that known and unknown
// addresses cost the same.
func (f *Flows) guesser(ctx context.Context, tx Tx, c Caller, key string) (subject string, known bool, err error) {
	if c.Device == "" {
		return key, false, nil
	}
	to, err := f.addressed(ctx, tx, key)
	if err != nil {
		return "", false, err
	}
	if device := f.knownDevice(c, to.owner); device != "" {
		return key + " " + device, true, nil
	}
	return key, false, nil
}

// countGuess counts a guess of a flow's code and returns how many remain. If the
// flow has no guesses left, it returns code.UsedUp, and a new flow helps. If the
// address or the network has none left, it returns code.Locked or code.LinkOnly,
// and only the mailed link helps.
func (f *Flows) countGuess(ctx context.Context, tx Tx, g guess) (left int, refused *fault.Error, err error) {
	d, err := f.limiter.Take(ctx, tx, g.network...)
	if err != nil {
		return 0, nil, err
	}
	if !d.Allowed {
		return 0, locked(d.Wait), nil
	}
	d, err = f.limiter.Take(ctx, tx, g.code...)
	if err != nil || d.Allowed {
		return d.Left, nil, err
	}
	if err := f.limiter.Return(ctx, tx, g.network...); err != nil {
		return 0, nil, err
	}
	if d.By == codeFlow.Name {
		return 0, code.UsedUp, nil
	}
	return 0, locked(d.Wait), nil
}

// guessLock returns the fault of the next guess if the address or the network
// has none left, else nil.
func (f *Flows) guessLock(ctx context.Context, tx Tx, g guess) (*fault.Error, error) {
	wait, err := f.limiter.Wait(ctx, tx, slices.Concat(g.network, g.code[1:])...)
	if err != nil || wait == 0 {
		return nil, err
	}
	return locked(wait), nil
}

// locked says for how long no code helps. Only codeRow makes a caller wait longer
// than an hour, which outlasts every code.
func locked(wait time.Duration) *fault.Error {
	if wait > codeAddress.Window {
		return code.LinkOnly
	}
	return code.Locked.WithRetryAfter(throttle.Rounded(wait))
}

// forgetGuesses resets the consecutive wrong guesses of the address and of the
// caller's browser.
func (f *Flows) forgetGuesses(ctx context.Context, tx Tx, c Caller, key string) error {
	subject, known, err := f.guesser(ctx, tx, c, key)
	if err != nil {
		return err
	}
	if known {
		if err := f.limiter.Clear(ctx, tx, throttle.Attempt{Limit: codeRow, Subject: subject}); err != nil {
			return err
		}
	}
	return f.limiter.Clear(ctx, tx, throttle.Attempt{Limit: codeRow, Subject: key})
}
