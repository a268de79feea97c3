package flow

import (
	"context"
	"hash/fnv"
	"strconv"
	"time"

	"portico/internal/invitation"
	"portico/internal/throttle"
)

// The limits of flows. They are as strict as NIST 800-63B-4 3.1.3.2 and 3.2.2
// demand, or stricter.
//
// To add a limit, change limits below, where the second list is for limits per network, and
// docs/operating/rate-limits.md. TestLimits_AreListed holds the first, and
// TestLimits_AreDocumented the second.
var (
	// Consecutive wrong passwords for an address, in all browsers that its account
	// does not know, and in all known ones.
	passwordLadder = throttle.Limit{
		Name: "password", Count: 100, Window: 30 * 24 * time.Hour,
		Free: 5, FirstWait: 30 * time.Second, LastWait: time.Hour,
	}
	passwordKnown = throttle.Limit{Name: "password known", Count: 50, Window: 30 * 24 * time.Hour, Free: 50}

	// The waits of one known browser after wrong passwords, and after wrong second
	// factors. It has no end: the counts of all known browsers end the guesses.
	browserLadder = throttle.Limit{
		Name: "known browser", Count: 1 << 30, Window: 30 * 24 * time.Hour,
		Free: 5, FirstWait: 30 * time.Second, LastWait: time.Hour,
	}
	// Failed sign-ins from one network.
	signInPeer = throttle.Limit{Name: "sign-in peer", Count: 100, Window: 10 * time.Minute}
	// Questions to the app about the sign-up of an address. A right code can be sent again after a refusal.
	askAddress = throttle.Limit{Name: "sign-up question", Count: 10, Window: time.Hour}
	// Flows that send email, begun from one network.
	mailPeer = throttle.Limit{Name: "mail peer", Count: 300, Window: time.Hour}
	// Sign-ins with a provider, begun from one network.
	providerPeer = throttle.Limit{Name: "provider peer", Count: 200, Window: 10 * time.Minute}

	// Documents of unknown OpenID clients that one network makes Portico load.
	documentPeer = throttle.Limit{Name: "client document peer", Count: 60, Window: 10 * time.Minute}

	// Requests about registered OpenID clients from one network.
	registerPeer = throttle.Limit{Name: "client registration peer", Count: 30, Window: 10 * time.Minute}

	// Requests that public and unknown OpenID clients push from one network. The people of a network sign in
	// through it, and each request is a row of up to 8 KiB for an hour.
	pushPeer = throttle.Limit{Name: "pushed request peer", Count: 300, Window: 10 * time.Minute}

	// Assertions of unknown OpenID clients from one network, where one app may sign in many people. Each is a row for minutes.
	assertionPeer = throttle.Limit{Name: "client assertion peer", Count: 1000, Window: 10 * time.Minute}

	// Guesses of codes: of a flow with all its emails, of an address in an hour,
	// and consecutive ones of an address. After the last consecutive guess only
	// the mailed link works, so that an attacker cannot guess for days.
	codeFlow    = throttle.Limit{Name: "code flow", Count: 5, Window: 48 * time.Hour}
	codeAddress = throttle.Limit{Name: "code address", Count: 10, Window: time.Hour}
	codeRow     = throttle.Limit{Name: "code row", Count: 100, Window: 30 * 24 * time.Hour, Free: 100}
	// The last two for all known browsers together.
	codeKnown    = throttle.Limit{Name: "code known", Count: 10, Window: time.Hour}
	codeKnownRow = throttle.Limit{Name: "code known row", Count: 50, Window: 30 * 24 * time.Hour, Free: 50}
	// Wrong codes from one network, over all addresses.
	codePeer = throttle.Limit{Name: "code peer", Count: 100, Window: time.Hour}
	// Guesses of the password that a mailed link asks for.
	linkPassword = throttle.Limit{Name: "link password", Count: 5, Window: 48 * time.Hour}

	// Guesses of a second factor: of one sign-in, and consecutive ones of an account.
	// Unknown browsers together have 50, of which 40 with one credential version: a
	// new password leaves its owner some. Known browsers together have 50 (decision 74).
	factorFlow   = throttle.Limit{Name: "factor flow", Count: 5, Window: time.Hour}
	factorRow    = throttle.Limit{Name: "factor", Count: 50, Window: 30 * 24 * time.Hour, Free: 50}
	factorLadder = throttle.Limit{
		Name: "factor password", Count: 40, Window: 30 * 24 * time.Hour,
		Free: 5, FirstWait: 30 * time.Second, LastWait: time.Hour,
	}
	factorKnown = throttle.Limit{Name: "factor known", Count: 50, Window: 30 * 24 * time.Hour, Free: 50}
	// Emails to the owner about wrong second factors.
	factorNotice = throttle.Limit{Name: "factor notice", Count: 2, Window: 24 * time.Hour}

	// Devices that begin to wait for their users, for public clients.
	devicePeer = throttle.Limit{Name: "device peer", Count: 100, Window: 10 * time.Minute}
	// Wrong codes of devices, typed by one account and from one network.
	deviceCode     = throttle.Limit{Name: "device code", Count: 10, Window: time.Hour}
	deviceCodePeer = throttle.Limit{Name: "device code peer", Count: 50, Window: time.Hour}

	// Emails that a stranger can cause to a mailbox, and the smaller share of one
	// network in them.
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
	// Emails that all known browsers of an account can cause to a mailbox, before they
	// count as strangers.
	mailKnownHour = throttle.Limit{Name: "mail known hour", Count: 10, Window: time.Hour}
	mailKnownDay  = throttle.Limit{Name: "mail known day", Count: 20, Window: 24 * time.Hour}
	// Recoveries that also email an unknown address, to say that it has no account:
	// of one mailbox, and of all mailboxes of a lane. Known addresses count too. A
	// visitor learns of a refusal by the mail server only within these limits, so
	// that an unknown address is refused as often as a known one.
	unknownDay    = throttle.Limit{Name: "unknown mail day", Count: 1, Window: 24 * time.Hour}
	unknownGlobal = throttle.Limit{Name: "unknown mail", Count: 200 / lanes, Window: time.Hour}
	// The same rows for sign-ups, which email each address. These limits never
	// refuse; they make both kinds of flow cost the same.
	knownDay    = throttle.Limit{Name: "known mail day", Count: 1 << 30, Window: 24 * time.Hour}
	knownGlobal = throttle.Limit{Name: "known mail", Count: 1 << 30, Window: time.Hour}

	// Emails to the owner about wrong passwords and about new browsers.
	noticeDay = throttle.Limit{Name: "notice day", Count: 2, Window: 24 * time.Hour}
	deviceDay = throttle.Limit{Name: "device day", Count: 5, Window: 24 * time.Hour}

	// Emails to the admins about accounts that wait for an approval, however many do.
	appliedHour = throttle.Limit{Name: "approvals hour", Count: 1, Window: time.Hour}

	// Downloads of an account's data. Each sends an email and reads all of its rows.
	dataDay = throttle.Limit{Name: "data day", Count: 10, Window: 24 * time.Hour}
	// Pictures that a user gives. Each is decoded.
	portraitDay = throttle.Limit{Name: "picture day", Count: 20, Window: 24 * time.Hour}
	// Names and languages that a user chooses without a new proof, and changes with one. Each sends emails.
	profileDay = throttle.Limit{Name: "profile day", Count: 20, Window: 24 * time.Hour}
	changeDay  = throttle.Limit{Name: "change day", Count: 100, Window: 24 * time.Hour}
	// Passwords and sets of recovery codes that a user or a flow chooses. Each takes hashes, whatever becomes of it.
	choiceHour = throttle.Limit{Name: "choice hour", Count: 30, Window: time.Hour}
	// Emails to the owner about what the owner has ended, or about trust. Neither is ever refused.
	endedDay = throttle.Limit{Name: "ended day", Count: 20, Window: 24 * time.Hour}

	// Emails that an admin or a key has sent to whom they name, and links for many. Ten lists of
	// invitations in an hour are no attack. The mailbox has mailHour and mailDay beside it.
	adminMail = throttle.Limit{Name: "admin mail", Count: 10 * invitation.MostLines, Window: time.Hour}

	// Emails to a mailbox about the changes of one admin or key. Others can still change the account.
	adminNotice = throttle.Limit{Name: "admin notice", Count: 50, Window: 24 * time.Hour}

	// Requests to the admin API, per admin and per key. Those with an Idempotency-Key each keep a row
	// for a day.
	adminAPI  = throttle.Limit{Name: "admin api", Count: 600, Window: time.Minute}
	adminOnce = throttle.Limit{Name: "admin idempotency", Count: 5000, Window: 24 * time.Hour}
)

// lanes is the number of rows that share a global limit, chosen by the mailbox. A
// row stays locked until its transaction commits. With one row, all nodes
// together could begin only one proof at a time.
const lanes = 20

// lane returns the row of a mailbox.
func lane(box string) string {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(box)) // never fails
	return strconv.Itoa(int(hash.Sum32() % lanes))
}

// limits returns the limits that can refuse an attempt.
func limits() []throttle.Limit {
	all := []throttle.Limit{
		passwordLadder, passwordKnown, browserLadder, codeFlow, codeAddress, codeRow, codeKnown, codeKnownRow, linkPassword,
		factorFlow, factorRow, factorLadder, factorKnown, factorNotice,
		mailHour, mailDay, mailPeerHour, mailPeerDay, mailSpare, mailSparePeer, mailKnownHour, mailKnownDay,
		unknownDay, unknownGlobal, noticeDay, deviceDay, appliedHour, dataDay, portraitDay, profileDay, changeDay, choiceHour, endedDay, deviceCode, askAddress,
		adminMail, adminNotice, adminAPI, adminOnce,
	}
	for _, l := range []throttle.Limit{signInPeer, codePeer, mailPeer, providerPeer, documentPeer, registerPeer, pushPeer, assertionPeer, devicePeer, deviceCodePeer} {
		for _, wide := range widened(l) {
			all = append(all, wide)
		}
	}
	return all
}

// limitNames returns the names of the limits whose refusals Stats counts.
func limitNames() []string {
	var names []string
	for _, l := range limits() {
		names = append(names, l.Name)
	}
	return names
}

// take counts an attempt in the transaction of what it allows, and returns throttle.Limited if it is refused.
func (f *core) take(ctx context.Context, tx Tx, attempt throttle.Attempt) error {
	d, err := f.limiter.Take(ctx, tx, attempt)
	if err == nil && !d.Allowed {
		err = throttle.Limited(throttle.Rounded(d.Wait))
	}
	return err
}

// count counts the attempts in a transaction of its own and returns
// throttle.Limited if one of them is refused.
func (f *core) count(ctx context.Context, attempts ...throttle.Attempt) error {
	_, _, err := f.countAny(ctx, []way{{counts: attempts}})
	return err
}

// countChoice counts a password or a set of recovery codes before its hashes. of is the account, or the flow that has no
// other proof than a mailbox or a password: whoever has these must not use up what the owner has.
//
// Faults: throttle.Limited.
func (f *core) countChoice(ctx context.Context, of string) error {
	return f.count(ctx, throttle.Attempt{Limit: choiceHour, Subject: of})
}

// changeAttempts returns the limits of the changes that need a new proof.
func changeAttempts(id string) []throttle.Attempt {
	return []throttle.Attempt{{Limit: changeDay, Subject: id}, {Limit: choiceHour, Subject: id}}
}
