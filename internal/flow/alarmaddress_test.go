package flow_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"portico/internal/flow"
	"portico/internal/outbox"
)

// alarms raises the alarm of an email and returns the account's addresses and who
// gets the code.
func (b *bundle) alarms(m outbox.Message, id string) (has, code string) {
	b.Helper()
	if _, err := b.flows.RaiseAlarm(b.Context(), b.visitor("192.0.2.9").Caller, alarmToken(m)); err != nil {
		b.Fatal(err)
	}
	for code == "" {
		if m := b.next(); m.Template == "take-back" {
			code = m.To
		}
	}
	err := b.store.Read(b.Context(), func(tx flow.Tx) error {
		a, _, err := tx.AccountByID(b.Context(), id)
		if err != nil {
			return err
		}
		has = a.Address.Mail
		list, err := tx.AddressesOf(b.Context(), id, b.clock.Now())
		for _, o := range list {
			has += ", " + string(o.Use) + " " + o.Address.Mail
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return has, code
}

// A thief changes the addresses in every way. An alarm restores what was when its
// email was sent.
func TestAlarm_Addresses(t *testing.T) {
	t.Parallel()
	const both, took = "mara@example.org, recovery safe@example.org", "mara@example.org, other safe@example.org"
	const gone = ", former thief@example.org" // kept: an alarm cannot know whose it is
	swapped := "safe@example.org, former mara@example.org"
	for name, tc := range map[string]struct {
		steal    func(thief *visitor)
		from, to string // of the owner's email
		want     string
	}{
		"another address for a recovery":  {func(t *visitor) { t.recovers("thief@example.org", 3) }, "mara@example.org", "mara@example.org", took},
		"and the owner of the one before": {func(t *visitor) { t.recovers("thief@example.org", 3) }, "safe@example.org", "safe@example.org", both},
		"a removal": {func(t *visitor) {
			t.must(t.flows.RemoveAddress(t.Context(), t.Caller, t.found(), "safe@example.org"))
		}, "mara@example.org", "mara@example.org", took},
		"a removal, and its mailbox": {func(t *visitor) {
			t.must(t.flows.RemoveAddress(t.Context(), t.Caller, t.found(), "safe@example.org"))
		}, "safe@example.org", "safe@example.org", both},
		"another primary address":     {func(t *visitor) { t.moves("thief@example.org") }, "mara@example.org", "mara@example.org", both + gone},
		"and the mailbox for notices": {func(t *visitor) { t.moves("thief@example.org") }, "safe@example.org", "safe@example.org", both + gone},
		"the former address added again": {func(t *visitor) {
			t.moves("thief@example.org")
			t.next()
			t.recovers("mara@example.org", 3)
		}, "safe@example.org", "safe@example.org", both + gone},
		"two that change places": {func(t *visitor) {
			t.moves("thief@example.org")
			t.next()
			t.recovers("second@example.org", 3)
			t.must(t.flows.MakePrimary(t.Context(), t.Caller, t.found(), "second@example.org"))
		}, "mara@example.org", "mara@example.org", took + ", former second@example.org" + gone},
		"the owner's own change places": {func(t *visitor) {
			t.must(t.flows.MakePrimary(t.Context(), t.Caller, t.found(), "safe@example.org"))
		}, "safe@example.org", "safe@example.org", swapped},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			owner := b.visitor("192.0.2.1")
			owner.register("mara@example.org")
			owner.recovers("safe@example.org", 2)
			id := owner.found().User.ID
			b.clock.Advance(73 * time.Hour)
			thief := b.visitor("192.0.2.2")
			thief.must(thief.signIn("mara@example.org", good))
			told := b.mails(2)
			b.clock.Advance(time.Second)
			tc.steal(thief)
			has, code := b.alarms(told[tc.from+" new-device"], id)
			b.expects("the account", has, tc.want)
			b.expects("the mailbox of the code", code, tc.to)
		})
	}
}

// An address that a thief has added raises no alarm that is worth anything.
func TestAlarm_FromAnAddressOfAThief(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner, thief := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	owner.register("mara@example.org")
	id := owner.found().User.ID
	thief.must(thief.signIn("mara@example.org", good))
	mine := b.next()
	b.clock.Advance(time.Second)
	told := thief.recovers("thief@example.org", 2)
	has, code := b.alarms(told["thief@example.org recovery-address-set"], id)
	b.expects("the account", has, "mara@example.org")
	b.expects("the mailbox of the code", code, "mara@example.org")
	has, _ = b.alarms(mine, id)
	b.expects("the account", has, "mara@example.org")
}

// A thief lets the former address change places, and raises the alarm first.
func TestAlarm_AfterThatOfAThief(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner, thief := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	owner.register("mara@example.org")
	id := owner.found().User.ID
	thief.must(thief.signIn("mara@example.org", good))
	mine := b.next()
	b.clock.Advance(time.Second)
	thief.recovers("thief@example.org", 2)
	thief.must(thief.flows.MakePrimary(t.Context(), thief.Caller, thief.found(), "thief@example.org"))
	b.clock.Advance(time.Second)
	thief.must(thief.flows.ChangePassword(t.Context(), thief.Caller, thief.found(), another, another))
	theirs := b.mails(4)["thief@example.org password-changed"]
	b.clock.Advance(time.Second)
	_, code := b.alarms(theirs, id)
	b.expects("the mailbox of the code", code, "thief@example.org")
	has, code := b.alarms(mine, id)
	b.expects("the account", has, "mara@example.org, former thief@example.org")
	b.expects("the mailbox of the code", code, "mara@example.org")
}

// The mailbox of an older link has the last word, wherever its address went meanwhile:
// the owner had it for recovery, and made it the primary one.
func TestAlarm_OfAnOlderLinkAtANewerAddress(t *testing.T) {
	t.Parallel()
	for name, replaced := range map[string]bool{"the thief moved on": true, "it is the primary one": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			owner := b.visitor("192.0.2.1")
			owner.register("mara@example.org")
			id := owner.found().User.ID
			owner.recovers("safe@example.org", 2)
			b.clock.Advance(73 * time.Hour)
			owner.must(owner.signIn("mara@example.org", good))
			var links [2]map[string]outbox.Message
			for n, password := range []string{another, good} {
				owner.must(owner.flows.ChangePassword(t.Context(), owner.Caller, owner.found(), password, password))
				links[n] = b.mails(2)
				b.clock.Advance(time.Second)
			}
			owner.must(owner.flows.MakePrimary(t.Context(), owner.Caller, owner.found(), "safe@example.org"))
			b.mails(2)
			if replaced {
				b.clock.Advance(time.Second)
				owner.moves("thief@example.org")
			}
			has, code := b.alarms(links[1]["mara@example.org password-changed"], id)
			if !strings.HasPrefix(has, "mara@example.org, ") || !strings.Contains(has, "former safe@example.org") || code != "mara@example.org" {
				t.Errorf("the newer link: the account has %s, the code goes to %s", has, code)
			}
			b.clock.Advance(time.Second)
			has, code = b.alarms(links[0]["safe@example.org password-changed"], id)
			if !strings.HasPrefix(has, "safe@example.org, ") || !strings.Contains(has, "former mara@example.org") || code != "safe@example.org" {
				t.Errorf("the older link: the account has %s, the code goes to %s", has, code)
			}
		})
	}
}

// A thief adds an address, gets an email there, makes it the primary one and moves on.
// The owner presses the last email, and no older link of the thief undoes that.
func TestAlarm_NoLinkOfAYoungAddressAfterIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner, thief := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	owner.register("mara@example.org")
	id := owner.found().User.ID
	b.clock.Advance(73 * time.Hour)
	thief.must(thief.signIn("mara@example.org", good))
	b.next()
	b.clock.Advance(time.Second)
	theirs := thief.recovers("thief@example.org", 2)["thief@example.org recovery-address-set"]
	b.clock.Advance(time.Second)
	thief.must(thief.flows.MakePrimary(t.Context(), thief.Caller, thief.found(), "thief@example.org"))
	mine := b.mails(2)["mara@example.org address-replaced"]
	b.clock.Advance(time.Second)
	thief.moves("more@example.org")
	has, code := b.alarms(mine, id)
	if !strings.HasPrefix(has, "mara@example.org, ") || code != "mara@example.org" {
		t.Fatalf("the account has %s, the code goes to %s", has, code)
	}
	b.clock.Advance(time.Second)
	if _, err := b.flows.RaiseAlarm(t.Context(), thief.Caller, alarmToken(theirs)); !errors.Is(err, flow.AlarmOver) {
		t.Errorf("the older link of the thief: %v", err)
	}
}

// The owner presses the email of the change, then an older one at the address for
// recovery. The second gives the thief's addresses, which the first replaced, no account.
func TestAlarm_TwoOfTheOwner(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]bool{"one address": false, "two addresses": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			owner, thief := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
			owner.register("mara@example.org")
			owner.recovers("safe@example.org", 2)
			id := owner.found().User.ID
			b.clock.Advance(73 * time.Hour)
			thief.must(thief.signIn("mara@example.org", good))
			told := b.mails(2)
			b.clock.Advance(time.Second)
			moved := thief.moves("thief@example.org")
			if more {
				b.clock.Advance(time.Second)
				b.next()
				thief.moves("more@example.org")
			}
			b.clock.Advance(time.Second)
			b.alarms(moved, id)
			b.clock.Advance(time.Second)
			has, code := b.alarms(told["safe@example.org new-device"], id)
			if !strings.HasPrefix(has, "mara@example.org, ") || code != "safe@example.org" {
				t.Errorf("the account has %s, the code goes to %s", has, code)
			}
		})
	}
}

// An address that was young when the owner raised the alarm grows old. Its link stays void.
func TestAlarm_NoLinkOfAnAddressThatWasYoung(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner, thief, again := b.visitor("192.0.2.1"), b.visitor("192.0.2.2"), b.visitor("192.0.2.3")
	owner.register("mara@example.org")
	id := owner.found().User.ID
	b.clock.Advance(73 * time.Hour)
	thief.must(thief.signIn("mara@example.org", good))
	b.next()
	thief.recovers("thief@example.org", 2)
	b.clock.Advance(70 * time.Hour)
	again.must(again.signIn("mara@example.org", good))
	theirs := b.mails(2)["thief@example.org new-device"]
	b.clock.Advance(5 * time.Minute)
	again.must(again.flows.MakePrimary(t.Context(), again.Caller, again.found(), "thief@example.org"))
	mine := b.mails(2)["mara@example.org address-replaced"]
	again.moves("more@example.org")
	b.clock.Advance(time.Minute)
	if has, _ := b.alarms(mine, id); !strings.HasPrefix(has, "mara@example.org, ") {
		t.Fatalf("the account has %s", has)
	}
	b.clock.Advance(2 * time.Hour)
	if _, err := b.flows.RaiseAlarm(t.Context(), thief.Caller, alarmToken(theirs)); !errors.Is(err, flow.AlarmOver) {
		t.Errorf("the link of the thief: %v", err)
	}
}
