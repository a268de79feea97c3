package flow

import (
	"context"
	"hash/fnv"
	"strconv"
	"time"

	"portico/internal/code"
	"portico/internal/fault"
	"portico/internal/throttle"
)

// The limits of flows. The numbers are those of NIST 800-63B-4 3.1.3.2 and
// 3.2.2, or stricter.
var (
	// Wrong passwords in a row for an address from browsers that its owner
	// never used, and the same for each browser that the owner did use, so
	// that a stranger's guessing does not lock the owner out.
	passwordLadder = throttle.Limit{
		Name: "password", Count: 100, Window: 30 * 24 * time.Hour,
		Free: 5, FirstWait: 30 * time.Second, LastWait: time.Hour,
	}
	// Failed sign-ins from one network.
	signInPeer = throttle.Limit{Name: "sign-in peer", Count: 100, Window: 10 * time.Minute}
	// Flows that send mail, begun from one network.
	mailPeer = throttle.Limit{Name: "mail peer", Count: 300, Window: time.Hour}
	// Ways to a provider, begun from one network.
	providerPeer = throttle.Limit{Name: "provider peer", Count: 200, Window: 10 * time.Minute}

	// Guesses of codes: for a flow, whatever is sent again, and for an address
	// over all flows: in an hour, and in a row. After the last one of the row
	// only the mailed link helps, so that nobody guesses for days on end.
	codeFlow    = throttle.Limit{Name: "code flow", Count: 5, Window: 48 * time.Hour}
	codeAddress = throttle.Limit{Name: "code address", Count: 10, Window: time.Hour}
	codeRow     = throttle.Limit{Name: "code row", Count: 100, Window: 30 * 24 * time.Hour}
	// Guesses of the password that a mailed link asks for.
	linkPassword = throttle.Limit{Name: "link password", Count: 5, Window: 48 * time.Hour}

	// Mails that a stranger can cause: for a mailbox, and the smaller share of
	// one network in them, so that nobody alone uses them up for the owner.
	mailHour     = throttle.Limit{Name: "mail hour", Count: 5, Window: time.Hour}
	mailDay      = throttle.Limit{Name: "mail day", Count: 20, Window: 24 * time.Hour}
	mailPeerHour = throttle.Limit{Name: "mail peer hour", Count: 4, Window: time.Hour}
	mailPeerDay  = throttle.Limit{Name: "mail peer day", Count: 10, Window: 24 * time.Hour}
	// Of them, those that tell an unknown address so, for the mailbox and for all.
	unknownDay    = throttle.Limit{Name: "unknown mail day", Count: 1, Window: 24 * time.Hour}
	unknownGlobal = throttle.Limit{Name: "unknown mail", Count: 200 / lanes, Window: time.Hour}
	// The same rows for known addresses, without effect: both kinds of address
	// must cost the same.
	knownDay    = throttle.Limit{Name: "known mail day", Count: 1 << 30, Window: 24 * time.Hour}
	knownGlobal = throttle.Limit{Name: "known mail", Count: 1 << 30, Window: time.Hour}

	// Notices to the owner: about wrong passwords, and about new browsers.
	noticeDay = throttle.Limit{Name: "notice day", Count: 2, Window: 24 * time.Hour}
	deviceDay = throttle.Limit{Name: "device day", Count: 5, Window: 24 * time.Hour}
)

// lanes is over how many rows the limits for all are spread, by the mailbox. A
// row is held until its transaction is kept, so with one row all nodes together
// would begin one proof at a time.
const lanes = 20

// lane returns the row of a mailbox.
func lane(box string) string {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(box)) // never fails
	return strconv.Itoa(int(hash.Sum32() % lanes))
}

// limits returns those that can refuse somebody.
func limits() []throttle.Limit {
	return []throttle.Limit{
		passwordLadder, signInPeer, mailPeer, providerPeer, codeFlow, codeAddress, codeRow, linkPassword,
		mailHour, mailDay, mailPeerHour, mailPeerDay, unknownDay, unknownGlobal, noticeDay, deviceDay,
	}
}

// LimitNames returns the names by which Stats counts refusals.
func LimitNames() []string {
	var names []string
	for _, l := range limits() {
		names = append(names, l.Name)
	}
	return names
}

// count counts the tries in a transaction of its own and returns Limited when
// one of them is refused.
func (f *Flows) count(ctx context.Context, tries ...throttle.Try) (throttle.Decision, error) {
	var d throttle.Decision
	err := f.store.Write(ctx, func(tx Tx) (err error) {
		d, err = f.gate.Take(ctx, tx, tries...)
		return err
	})
	if err == nil && !d.Allowed {
		err = throttle.Limited(throttle.Rounded(d.Wait))
	}
	return d, err
}

// countGuess counts a guess of a flow's code and returns how many remain. A
// flow without guesses is refused with code.UsedUp, which a new flow helps
// against; an address without with throttle.Limited.
func (f *Flows) countGuess(ctx context.Context, tx Tx, p Pending) (left int, refused *fault.Error, err error) {
	d, err := f.gate.Take(ctx, tx,
		throttle.Try{Limit: codeFlow, Subject: p.ID},
		throttle.Try{Limit: codeAddress, Subject: p.AddressKey},
		throttle.Try{Limit: codeRow, Subject: p.AddressKey})
	switch {
	case err != nil || d.Allowed:
		return d.Left, nil, err
	case d.By == codeFlow.Name:
		return 0, code.UsedUp, nil
	}
	return 0, throttle.Limited(throttle.Rounded(d.Wait)), nil
}
