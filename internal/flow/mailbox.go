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

// mailWays returns the sets of limits that allow an email to the address, in the
// order in which they are tried. A browser that the owner has used has its own
// counts, so that strangers cannot use up the owner's emails. So have alarms, which
// take a way in away before the email brings a new one. A network that has caused no
// email to the mailbox today has a second set.
func (f *Flows) mailWays(ctx context.Context, tx Tx, c Caller, key string, known *account.Account) ([][]throttle.Attempt, error) {
	box := account.BaseKey(key)
	own := f.knownDevice(c, known)
	if c.alarmed {
		own = "alarm"
	}
	if own != "" {
		box += " " + own
	}
	peer := box + " " + c.Peer
	share := []throttle.Attempt{{Limit: mailPeerHour, Subject: peer}, {Limit: mailPeerDay, Subject: peer}}
	usual := append([]throttle.Attempt{{Limit: mailHour, Subject: box}, {Limit: mailDay, Subject: box}}, share...)
	if own != "" {
		return [][]throttle.Attempt{usual}, nil
	}
	left, err := f.limiter.Left(ctx, tx, share[1])
	if err != nil || left < mailPeerDay.Count {
		return [][]throttle.Attempt{usual}, err
	}
	spare := append([]throttle.Attempt{
		{Limit: mailSpare, Subject: box}, {Limit: mailSparePeer, Subject: box + " " + c.widest()},
	}, share...)
	return [][]throttle.Attempt{usual, spare}, nil
}

// countMail counts an email to the address and returns code.Held while none may
// be sent. It counts for every address, even if the email is then suppressed. The
// refusal reveals nothing, because it is the same with and without an account.
func (f *Flows) countMail(ctx context.Context, tx Tx, c Caller, key string, known *account.Account) (*fault.Error, error) {
	ways, err := f.mailWays(ctx, tx, c, key, known)
	if err != nil {
		return nil, err
	}
	var waits []time.Duration
	for _, way := range ways {
		d, err := f.limiter.Take(ctx, tx, way...)
		if err != nil || d.Allowed {
			return nil, err
		}
		waits = append(waits, d.Wait)
	}
	return held(slices.Min(waits)), nil
}

// mailWait returns how long countMail would refuse, without counting.
func (f *Flows) mailWait(ctx context.Context, tx Tx, c Caller, key string, known *account.Account) (time.Duration, error) {
	ways, err := f.mailWays(ctx, tx, c, key, known)
	if err != nil {
		return 0, err
	}
	var waits []time.Duration
	for _, way := range ways {
		wait, err := f.limiter.Wait(ctx, tx, way...)
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
		{Limit: passwordLadder, Subject: key}, {Limit: codeAddress, Subject: key}, {Limit: codeRow, Subject: key},
		{Limit: noticeDay, Subject: key}, {Limit: deviceDay, Subject: key},
	}
}

func held(wait time.Duration) *fault.Error { return code.Held.WithRetryAfter(throttle.Rounded(wait)) }

// mayTell reports whether the visitor of the flow learns of a refusal by the mail
// server. It depends on the address and on earlier requests, and never on whether
// the address has an account. An unknown address rarely gets an email of a
// recovery, and only its mailbox may learn that, so a known one is told as rarely.
func (f *Flows) mayTell(ctx context.Context, tx Tx, p Pending) (bool, error) {
	day, all := knownDay, knownGlobal
	if p.Kind == Recovery || p.Kind == ByCode {
		day, all = unknownDay, unknownGlobal
	}
	box := account.BaseKey(p.AddressKey)
	d, err := f.limiter.Take(ctx, tx, throttle.Attempt{Limit: day, Subject: box}, throttle.Attempt{Limit: all, Subject: lane(box)})
	return d.Allowed, err
}
