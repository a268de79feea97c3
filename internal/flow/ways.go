package flow

import (
	"context"
	"slices"

	"portico/internal/account"
	"portico/internal/throttle"
)

// A way is a set of limits that can allow an attempt.
//
// A known browser has two: the counts that all known browsers of the account share, and
// then the counts of all other browsers. So a stranger cannot use up what the owner has, and
// the owner's browser never has less than an unknown one. An attacker can have any number of
// browsers, known and unknown. So no count belongs to one browser, except for its waits
// (decision 74).
type way struct {
	network []throttle.Attempt // count failures only: a success returns them
	counts  []throttle.Attempt
}

// takeAny counts an attempt in the first way that allows it, and returns the number of
// that way. If none does, it returns the decision with the shortest wait.
func (f *core) takeAny(ctx context.Context, tx Tx, ways []way) (d throttle.Decision, taken int, err error) {
	for i, w := range ways {
		next, err := f.limiter.Take(ctx, tx, slices.Concat(w.network, w.counts)...)
		if err != nil || next.Allowed {
			return next, i, err
		}
		if i == 0 || next.Wait < d.Wait {
			d = next
		}
	}
	return d, 0, nil
}

// countAny is takeAny in a transaction of its own. It returns throttle.Limited if no way
// allows the attempt.
func (f *core) countAny(ctx context.Context, ways []way) (d throttle.Decision, taken int, err error) {
	err = f.store.Write(ctx, func(tx Tx) (err error) {
		d, taken, err = f.takeAny(ctx, tx, ways)
		return err
	})
	if err == nil && !d.Allowed {
		err = throttle.Limited(throttle.Rounded(d.Wait))
	}
	return d, taken, err
}

// paced returns the waits of a known browser, for an address or an account.
func paced(of, device string) throttle.Attempt {
	return throttle.Attempt{Limit: browserLadder, Subject: of + " " + device}
}

// passwordWays returns the ways of a sign-in with the address. Device is the id of a
// known browser, else "".
func passwordWays(c Caller, key, device string) []way {
	stranger := way{fromNetwork(signInPeer, c), []throttle.Attempt{{Limit: passwordLadder, Subject: key}}}
	if device == "" {
		return []way{stranger}
	}
	known := way{counts: []throttle.Attempt{paced(key, device), {Limit: passwordKnown, Subject: key}}}
	stranger.counts = append(stranger.counts, paced(key, device))
	return []way{known, stranger}
}

// forgetPasswords forgets the wrong passwords before a right one, which was counted in
// the last of the ways. Strangers' wrong passwords stay after one in a known browser.
func (f *Flows) forgetPasswords(ctx context.Context, tx Tx, ways []way) error {
	if err := f.limiter.Return(ctx, tx, ways[len(ways)-1].network...); err != nil {
		return err
	}
	for _, w := range ways {
		if err := f.clear(ctx, tx, w.counts...); err != nil {
			return err
		}
	}
	return nil
}

// factorWays returns the ways of a guess of a second factor. Flow is the subject of the
// guesses of one step.
func factorWays(flow, device string, a account.Account) []way {
	step := throttle.Attempt{Limit: factorFlow, Subject: flow}
	stranger := way{counts: []throttle.Attempt{step, {Limit: factorLadder, Subject: a.ID + " " + version(a)}, {Limit: factorRow, Subject: a.ID}}}
	if device == "" {
		return []way{stranger}
	}
	known := way{counts: []throttle.Attempt{step, paced(a.ID, device), {Limit: factorKnown, Subject: a.ID}}}
	stranger.counts = append(stranger.counts, paced(a.ID, device))
	return []way{known, stranger}
}

// factorAttempts returns all limits of wrong second factors whose subject is the account.
func factorAttempts(a account.Account) []throttle.Attempt {
	return []throttle.Attempt{
		{Limit: factorRow, Subject: a.ID}, {Limit: factorLadder, Subject: a.ID + " " + version(a)}, {Limit: factorKnown, Subject: a.ID},
	}
}

// clear forgets the attempts.
func (f *core) clear(ctx context.Context, tx Tx, attempts ...throttle.Attempt) error {
	for _, t := range attempts {
		if err := f.limiter.Clear(ctx, tx, t); err != nil {
			return err
		}
	}
	return nil
}
