package flow

import (
	"context"
	"hash/fnv"
	"strconv"
	"time"

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
	// Wrong codes from one network, over all addresses.
	codePeer = throttle.Limit{Name: "code peer", Count: 100, Window: time.Hour}
	// Guesses of the password that a mailed link asks for.
	linkPassword = throttle.Limit{Name: "link password", Count: 5, Window: 48 * time.Hour}

	// Emails that a stranger can cause: for a mailbox, and the smaller share of
	// one network in them.
	mailHour     = throttle.Limit{Name: "mail hour", Count: 5, Window: time.Hour}
	mailDay      = throttle.Limit{Name: "mail day", Count: 20, Window: 24 * time.Hour}
	mailPeerHour = throttle.Limit{Name: "mail peer hour", Count: 4, Window: time.Hour}
	mailPeerDay  = throttle.Limit{Name: "mail peer day", Count: 10, Window: 24 * time.Hour}
	// Strangers in two networks can use these up. A network that has caused no
	// email to the mailbox today then still gets one, so that the owner can
	// recover the account. Together with mailHour and mailDay, a mailbox gets at
	// most 25 emails in an hour and 40 in a day.
	mailSpare     = throttle.Limit{Name: "mail spare", Count: 20, Window: 24 * time.Hour}
	mailSparePeer = throttle.Limit{Name: "mail spare peer", Count: 1, Window: 24 * time.Hour}
	// Of all of them, those that tell an unknown address so, for the mailbox and for all.
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
	all := []throttle.Limit{
		passwordLadder, codeFlow, codeAddress, codeRow, linkPassword,
		mailHour, mailDay, mailPeerHour, mailPeerDay, mailSpare, mailSparePeer,
		unknownDay, unknownGlobal, noticeDay, deviceDay,
	}
	for _, l := range []throttle.Limit{signInPeer, codePeer, mailPeer, providerPeer} {
		for _, wide := range widened(l) {
			all = append(all, wide)
		}
	}
	return all
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
