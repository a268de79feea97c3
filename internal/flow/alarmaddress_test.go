package flow_test

import (
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
		if m := b.next(); m.Template == "recover" {
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
		"another primary address":     {func(t *visitor) { t.moves("thief@example.org") }, "mara@example.org", "mara@example.org", both},
		"and the mailbox for notices": {func(t *visitor) { t.moves("thief@example.org") }, "safe@example.org", "safe@example.org", both},
		"the former address added again": {func(t *visitor) {
			t.moves("thief@example.org")
			t.next()
			t.recovers("mara@example.org", 3)
		}, "safe@example.org", "safe@example.org", both},
		"two that change places": {func(t *visitor) {
			t.moves("thief@example.org")
			t.next()
			t.recovers("second@example.org", 3)
			t.must(t.flows.MakePrimary(t.Context(), t.Caller, t.found(), "second@example.org"))
		}, "mara@example.org", "mara@example.org", took},
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
	b.expects("the account", has, "mara@example.org")
	b.expects("the mailbox of the code", code, "mara@example.org")
}
