package flow

import (
	"context"
	"slices"
	"time"

	"portico/internal/account"
	"portico/internal/code"
	"portico/internal/fault"
	"portico/internal/throttle"
)

// mailWays returns the ways of an email to the address, in the order in which they
// are tried. Known browsers share counts, so that strangers cannot use up the owner's
// emails. So have alarms, which take a way in away before the email brings a new one.
// A network that has caused no email to the mailbox today has a way more.
func (f *core) mailWays(ctx context.Context, tx Tx, c Caller, key string, known *account.Account) ([]way, error) {
	box := account.BaseKey(key)
	if c.alarmed {
		usual, _ := mailShares(box+" alarm", c)
		return []way{usual}, nil
	}
	device, err := f.knownDevice(ctx, tx, c, known)
	if err != nil {
		return nil, err
	}
	var ways []way
	if device != "" {
		ways = []way{{counts: []throttle.Attempt{{Limit: mailKnownHour, Subject: box}, {Limit: mailKnownDay, Subject: box}}}}
	}
	usual, share := mailShares(box, c)
	ways = append(ways, usual)
	left, err := f.limiter.Left(ctx, tx, share[1])
	if err != nil || left < mailPeerDay.Count {
		return ways, err
	}
	return append(ways, way{counts: append([]throttle.Attempt{
		{Limit: mailSpare, Subject: box}, {Limit: mailSparePeer, Subject: box + " " + c.widest()},
	}, share...)}), nil
}

// mailShares returns the usual way of an email to the mailbox, and the share of the
// caller's network in it.
func mailShares(box string, c Caller) (usual way, share []throttle.Attempt) {
	peer := box + " " + c.Peer
	share = []throttle.Attempt{{Limit: mailPeerHour, Subject: peer}, {Limit: mailPeerDay, Subject: peer}}
	return way{counts: append([]throttle.Attempt{{Limit: mailHour, Subject: box}, {Limit: mailDay, Subject: box}}, share...)}, share
}

// countMail counts an email to the address and returns code.Held while none may
// be sent. It counts for every address, even if the email is then suppressed. The
// refusal reveals nothing, because it is the same with and without an account.
func (f *core) countMail(ctx context.Context, tx Tx, c Caller, key string, known *account.Account) (*fault.Error, error) {
	ways, err := f.mailWays(ctx, tx, c, key, known)
	if err != nil {
		return nil, err
	}
	d, _, err := f.takeAny(ctx, tx, ways)
	if err != nil || d.Allowed {
		return nil, err
	}
	return held(d.Wait), nil
}

// mailWait returns how long countMail would refuse, without counting.
func (f *Flows) mailWait(ctx context.Context, tx Tx, c Caller, key string, known *account.Account) (time.Duration, error) {
	ways, err := f.mailWays(ctx, tx, c, key, known)
	if err != nil {
		return 0, err
	}
	var waits []time.Duration
	for _, w := range ways {
		wait, err := f.limiter.Wait(ctx, tx, w.counts...)
		if err != nil {
			return 0, err
		}
		waits = append(waits, wait)
	}
	return slices.Min(waits), nil
}

// addressAttempts returns all limits whose subject is an address alone.
func addressAttempts(key string) []throttle.Attempt {
	box := account.BaseKey(key)
	return []throttle.Attempt{
		{Limit: mailHour, Subject: box}, {Limit: mailDay, Subject: box}, {Limit: mailSpare, Subject: box}, {Limit: unknownDay, Subject: box},
		{Limit: mailKnownHour, Subject: box}, {Limit: mailKnownDay, Subject: box},
		{Limit: passwordLadder, Subject: key}, {Limit: passwordKnown, Subject: key},
		{Limit: codeAddress, Subject: key}, {Limit: codeRow, Subject: key}, {Limit: codeKnown, Subject: key}, {Limit: codeKnownRow, Subject: key},
		{Limit: noticeDay, Subject: key}, {Limit: deviceDay, Subject: key},
	}
}

func held(wait time.Duration) *fault.Error { return code.Held.WithRetryAfter(throttle.Rounded(wait)) }

// mayTell reports whether the visitor of the flow learns of a refusal by the mail
// server. It depends on the address and on earlier requests, and never on whether
// the address has an account. An unknown address rarely gets an email of a
// recovery, and only its mailbox may learn that, so a known one is told as rarely.
func (f *core) mayTell(ctx context.Context, tx Tx, p Pending) (bool, error) {
	day, all := knownDay, knownGlobal
	if p.Kind == Recovery || p.Kind == ByCode {
		day, all = unknownDay, unknownGlobal
	}
	box := account.BaseKey(p.AddressKey)
	d, err := f.limiter.Take(ctx, tx, throttle.Attempt{Limit: day, Subject: box}, throttle.Attempt{Limit: all, Subject: lane(box)})
	return d.Allowed, err
}
