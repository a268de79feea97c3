package flow_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/flow"
	"portico/internal/outbox"
)

// alarms raises the alarm of an email and returns the account's addresses and who
// gets the code.
func (b *bundle) alarms(m outbox.Message, id string) (has, code string) {
	b.Helper()
	if _, err := b.Flows.RaiseAlarm(b.Context(), b.visitor("192.0.2.9").Caller, alarmToken(m)); err != nil {
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
			t.must(t.Owner.RemoveAddress(t.Context(), t.Caller, t.found(), "safe@example.org"))
		}, "mara@example.org", "mara@example.org", took},
		"a removal from another primary address, and its mailbox": {func(t *visitor) {
			t.moves("thief@example.org")
			t.next()
			t.must(t.Owner.RemoveAddress(t.Context(), t.Caller, t.found(), "safe@example.org"))
		}, "safe@example.org", "safe@example.org", both + gone},
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
			t.must(t.Owner.MakePrimary(t.Context(), t.Caller, t.found(), "second@example.org"))
		}, "mara@example.org", "mara@example.org", took + ", former second@example.org" + gone},
		"the owner's own change places": {func(t *visitor) {
			t.must(t.Owner.MakePrimary(t.Context(), t.Caller, t.found(), "safe@example.org"))
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

// The older address has the last word, whoever of both presses first, and with whichever
// email. The thief has had an address in the account for long.
func TestAlarm_OlderAddressWins(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		thiefs []string // emails that the thief presses before the owner does
		owners string
	}{
		"the owner first":          {nil, "2 mara@example.org address-replaced"},
		"the thief first":          {[]string{"2 thief@example.org address-added"}, "2 mara@example.org address-replaced"},
		"with an older email":      {[]string{"1 thief@example.org password-changed"}, "2 mara@example.org address-replaced"},
		"of the same email":        {[]string{"1 thief@example.org password-changed"}, "1 mara@example.org password-changed"},
		"with two, the older last": {[]string{"2 thief@example.org address-added", "1 thief@example.org password-changed"}, "2 mara@example.org address-replaced"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, v := registered(t)
			id := v.found().User.ID
			v.recovers("thief@example.org", 2)
			b.clock.Advance(73 * time.Hour)
			v.must(v.signIn("mara@example.org", good))
			links := map[string]outbox.Message{}
			note := func(when string) {
				for name, m := range b.mails(2) {
					links[when+" "+name] = m
				}
				b.clock.Advance(time.Second)
			}
			v.must(b.Owner.ChangePassword(t.Context(), v.Caller, v.found(), another, another))
			note("1")
			v.must(b.Owner.MakePrimary(t.Context(), v.Caller, v.found(), "thief@example.org"))
			note("2")
			for _, each := range tc.thiefs {
				if _, code := b.alarms(links[each], id); code != "thief@example.org" {
					t.Fatalf("the code goes to %s", code)
				}
				b.clock.Advance(time.Second)
			}
			has, code := b.alarms(links[tc.owners], id)
			b.expects("the account", has, "mara@example.org, former thief@example.org")
			b.expects("the mailbox of the code", code, "mara@example.org")
			b.clock.Advance(time.Second)
			for name, m := range links {
				if _, err := b.Flows.RaiseAlarm(t.Context(), v.Caller, alarmToken(m)); m.To == "thief@example.org" && err == nil {
					t.Errorf("%s: the link of the thief works", name)
				}
			}
		})
	}
}

// After an alarm of an older address, a younger one raises none, and its emails have no
// link, until the account is open to changes again.
func TestAlarm_NoneOfAYoungerAddressWhileItIsClosed(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	id := v.found().User.ID
	v.recovers("thief@example.org", 2)
	b.clock.Advance(73 * time.Hour)
	v.must(v.signIn("mara@example.org", good))
	change := func(chosen string) map[string]outbox.Message {
		b.clock.Advance(time.Second)
		v.must(b.Owner.ChangePassword(t.Context(), v.Caller, v.found(), chosen, chosen))
		return b.mails(2)
	}
	older := change(another)["thief@example.org password-changed"]
	has, _ := b.alarms(change(good)["mara@example.org password-changed"], id)
	b.expects("the account", has, "mara@example.org, recovery thief@example.org")
	if _, err := b.Flows.RaiseAlarm(t.Context(), v.Caller, alarmToken(older)); !errors.Is(err, flow.AlarmOver) {
		t.Errorf("an older link of the younger address: %v", err)
	}
	a, err := b.Operator.User(t.Context(), "mara@example.org")
	if err == nil {
		err = b.Operator.SetUserPassword(t.Context(), flow.ByOperator, a, another)
	}
	if err != nil {
		t.Fatal(err)
	}
	told := b.mails(2)
	if alarmToken(told["thief@example.org password-changed"]) != "" || alarmToken(told["mara@example.org password-changed"]) == "" {
		t.Errorf("%v", told)
	}
	b.clock.Advance(72 * time.Hour)
	v.must(v.signIn("mara@example.org", another))
	b.mails(2) // about the browser
	if told = change(good); alarmToken(told["thief@example.org password-changed"]) == "" {
		t.Errorf("%v", told)
	}
}

// A young address gets no link, whatever its email is about. Its age goes on when it
// becomes the primary one.
func TestAlarm_NoLinkToAYoungAddress(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	emails := v.recovers("new@example.org", 2)
	link := func(wait time.Duration, change func() (flow.Result, error)) bool {
		t.Helper()
		b.clock.Advance(wait)
		v.must(v.signIn(v.found().User.Address, good))
		v.must(change())
		for _, m := range b.mails(2) {
			if emails[m.To] = m; alarmToken(m) == "" && m.To == "mara@example.org" {
				t.Errorf("the address that the account was made with has no link: %+v", m)
			}
		}
		return alarmToken(emails["new@example.org"]) != ""
	}
	if alarmToken(emails["new@example.org recovery-address-set"]) != "" {
		t.Error("the email about it has a link")
	}
	if link(71*time.Hour, func() (flow.Result, error) {
		return b.Owner.MakePrimary(t.Context(), v.Caller, v.found(), "new@example.org")
	}) {
		t.Error("after 71 hours, the email has a link")
	}
	if !link(time.Hour, func() (flow.Result, error) {
		return b.Owner.MakePrimary(t.Context(), v.Caller, v.found(), "mara@example.org")
	}) {
		t.Error("after 72 hours, the email has no link")
	}
}

// A link is of its time. Its address has left the account since, and has come back.
func TestAlarm_NoLinkOfAnAddressThatHasComeBack(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	v.recovers("thief@example.org", 2)
	b.clock.Advance(73 * time.Hour)
	v.must(v.signIn("mara@example.org", good))
	v.must(b.Owner.ChangePassword(t.Context(), v.Caller, v.found(), another, another))
	theirs := b.mails(2)["thief@example.org password-changed"]
	v.must(b.Owner.RemoveAddress(t.Context(), v.Caller, v.found(), "thief@example.org"))
	if told := b.mails(2); alarmToken(told["thief@example.org address-removed"]) != "" {
		t.Error("the removed address gets a link")
	}
	for range 2 { // removed, and added again
		if _, err := b.Flows.RaiseAlarm(t.Context(), v.Caller, alarmToken(theirs)); !errors.Is(err, flow.AlarmOver) {
			t.Errorf("the removed address: %v", err)
		}
		b.clock.Advance(time.Minute)
		v.recovers("thief@example.org", 2)
	}
}

// The owner changes the address back. It is as old as before. The address of the thief raises
// no alarm, and begins anew when the thief adds it again. In hour 73 the owner has no address
// left, and Portico cannot tell who is the thief.
func TestAlarm_TheOwnerMovesBack(t *testing.T) {
	t.Parallel()
	for hour, kept := range map[time.Duration]bool{1: true, 71: true, 73: false} {
		b, v := registered(t)
		v.moves("thief@example.org")
		b.clock.Advance(hour * time.Hour)
		v.must(v.signIn("thief@example.org", good))
		back := v.moves("mara@example.org")
		if link := alarmToken(back) != ""; back.To != "thief@example.org" || link == kept {
			t.Errorf("hour %d: the address of the thief gets a link: %v", hour, link)
		}
		v.must(b.Owner.ChangePassword(t.Context(), v.Caller, v.found(), another, another))
		if m := b.next(); (alarmToken(m) != "") != kept {
			t.Errorf("hour %d: %s gets a link: %v", hour, m.To, !kept)
		}
		if kept {
			b.clock.Advance(70 * time.Hour)
			v.must(v.signIn("mara@example.org", another))
			v.moves("thief@example.org")
			b.clock.Advance(2 * time.Hour)
			v.must(v.signIn("thief@example.org", another))
			if back := v.moves("mara@example.org"); alarmToken(back) != "" {
				t.Errorf("hour %d, the second time: the address of the thief gets a link", hour)
			}
		}
	}
}

// A thief comes back to the address that the owner has replaced, by way of another one. It
// is as young as this one.
func TestAlarm_AThiefComesBackToAnAddress(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	for hours, to := range []string{"thief@example.org", "mara@example.org", "more@example.org", "thief@example.org"} {
		b.clock.Advance(time.Duration(hours) * time.Hour)
		v.must(v.signIn(v.found().User.Address, good))
		v.moves(to)
	}
	b.clock.Advance(67 * time.Hour)
	v.must(v.signIn("thief@example.org", good))
	v.must(b.Owner.ChangePassword(t.Context(), v.Caller, v.found(), another, another))
	if m := b.next(); m.To != "thief@example.org" || alarmToken(m) != "" {
		t.Errorf("%s gets a link 73 hours after it came first", m.To)
	}
}

// A thief makes an address that the owner no longer reads the primary one, and removes the
// present one. It has signed in for long, so its link works although it is younger.
func TestAlarm_AThiefMakesAnOlderAddressThePrimaryOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.visitor("192.0.2.1")
	v.register("unread@example.org")
	id := v.found().User.ID
	v.recovers("mara@example.org", 2)
	v.must(b.Owner.MakePrimary(t.Context(), v.Caller, v.found(), "mara@example.org"))
	b.mails(2)
	b.clock.Advance(100 * time.Hour)
	v.must(v.signIn("mara@example.org", good))
	v.must(b.Owner.MakePrimary(t.Context(), v.Caller, v.found(), "unread@example.org"))
	mine := b.mails(2)["mara@example.org address-replaced"]
	v.must(b.Owner.RemoveAddress(t.Context(), v.Caller, v.found(), "mara@example.org"))
	b.mails(2)
	b.clock.Advance(time.Second)
	has, code := b.alarms(mine, id)
	b.expects("the account", has, "mara@example.org, former unread@example.org")
	b.expects("the mailbox of the code", code, "mara@example.org")
}

// The owner presses the last email at the address for recovery. That gives the primary
// address back that the account had before all changes of the thief, and none of the thief's.
func TestAlarm_OfTheLastEmail(t *testing.T) {
	t.Parallel()
	for name, steal := range map[string]func(thief *visitor){
		"one address": func(t *visitor) { t.moves("thief@example.org"); t.next() },
		"two": func(t *visitor) {
			t.moves("thief@example.org")
			t.next()
			t.moves("more@example.org")
			t.next()
		},
		"back by the owner": func(t *visitor) {
			t.moves("thief@example.org")
			t.next()
			t.moves("mara@example.org")
			t.next()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			owner := b.visitor("192.0.2.1")
			owner.register("mara@example.org")
			owner.recovers("safe@example.org", 2)
			id := owner.found().User.ID
			b.clock.Advance(73 * time.Hour)
			owner.must(owner.signIn("mara@example.org", good))
			steal(owner)
			owner.must(b.Owner.ChangePassword(t.Context(), owner.Caller, owner.found(), another, another))
			told := b.mails(2)
			b.clock.Advance(time.Second)
			has, code := b.alarms(told["safe@example.org password-changed"], id)
			if !strings.HasPrefix(has, "mara@example.org, ") || strings.Contains(has, "other") || code != "safe@example.org" {
				t.Errorf("the account has %s, the code goes to %s", has, code)
			}
		})
	}
}

// The owner makes the older address the primary one again, and the other one stays. Its
// link ends the sessions, but does not make it the primary one.
func TestAlarm_OfAYoungerAddressThatChangedPlaces(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	id := v.found().User.ID
	v.recovers("thief@example.org", 2)
	b.clock.Advance(73 * time.Hour)
	v.must(v.signIn("mara@example.org", good))
	v.must(b.Owner.MakePrimary(t.Context(), v.Caller, v.found(), "thief@example.org"))
	theirs := b.mails(2)["thief@example.org address-added"]
	b.clock.Advance(time.Second)
	v.must(b.Owner.MakePrimary(t.Context(), v.Caller, v.found(), "mara@example.org"))
	b.mails(2)
	has, _ := b.alarms(theirs, id)
	b.expects("the account", has, "mara@example.org, former thief@example.org")
}

// Another spelling is no other address, and the address that an operator sets is at once
// as old as the account.
func TestAlarm_AddressesThatAreNotYoung(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(v *visitor) error{
		"another spelling": func(v *visitor) error { v.moves("MARA@example.org"); return nil },
		"of an operator": func(v *visitor) error {
			defer v.mails(2)
			return v.Operator.SetUserAddress(v.Context(), flow.ByOperator, v.found().User.ID, "mara@example.net")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, v := registered(t)
			a := account.Account{ID: v.found().User.ID}
			b.clock.Advance(time.Second)
			if err := change(v); err != nil {
				t.Fatal(err)
			}
			err := b.store.Read(t.Context(), func(tx flow.Tx) (err error) {
				a, _, err = tx.AccountByID(t.Context(), a.ID)
				return err
			})
			if err == nil {
				err = b.Operator.SetUserPassword(t.Context(), flow.ByOperator, a, another)
			}
			if err != nil {
				t.Fatal(err)
			}
			if m := b.next(); alarmToken(m) == "" {
				t.Errorf("%s has no link", m.To)
			}
		})
	}
}
