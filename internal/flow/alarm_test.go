package flow_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/flow"
)

// A thief changes the address. The owner takes the account back with the email to
// the former one, and the thief has nothing left.
func TestRaiseAlarm(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v, thief := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	v.register("mara@example.org")
	thief.must(thief.signIn("mara@example.org", good))
	b.next() // about the new browser
	id := thief.found().User.ID
	token := alarmToken(thief.moves("thief@example.net"))
	if address, err := b.Flows.ViewAlarm(t.Context(), token); err != nil || address != "m•••@example.org" {
		t.Fatalf("%q, %v", address, err)
	}
	if thief.signedIn() == "" {
		t.Fatal("the page of the link has an effect")
	}
	b.clock.Advance(72*time.Hour - time.Second)
	r := v.must(b.Flows.RaiseAlarm(t.Context(), v.Caller, token))
	if r.Session != nil || thief.signedIn() != "" || v.signedIn() != "" {
		t.Error("somebody is signed in")
	}
	m := b.next()
	if m.Template != "take-back" || m.To != "mara@example.org" {
		t.Fatalf("%+v", m)
	}
	if f := b.record(audit.AlarmRaised); f.AccountID != id || f.Actor != "self" {
		t.Errorf("%+v", f)
	}
	if _, err := b.Flows.ViewAlarm(t.Context(), token); !errors.Is(err, flow.AlarmDone) {
		t.Errorf("the link again: %v", err)
	}
	if _, err := b.Flows.RaiseAlarm(t.Context(), v.Caller, token); !errors.Is(err, flow.AlarmDone) {
		t.Errorf("the link again: %v", err)
	}
	for _, address := range []string{"thief@example.net", "mara@example.org"} {
		if _, err := thief.signIn(address, good); !errors.Is(err, flow.Rejected) {
			t.Errorf("%s signs in with the old password: %v", address, err)
		}
	}
	v.must(b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, m.Data["code"]))
	v.must(b.Flows.ResetPassword(t.Context(), v.Caller, flow.ResetInput{FlowID: r.FlowID, Password: another, Confirm: another}))
	b.next()
	if v.found().User.Address != "mara@example.org" || v.found().User.ID != id {
		t.Errorf("%+v", v.found().User)
	}
	v.must(b.Owner.ChangePassword(t.Context(), v.Caller, v.found(), good+" anew", good+" anew"))
	b.next()
	if _, err := b.Owner.RemovePassword(t.Context(), v.Caller, v.found()); !errors.Is(err, flow.Alarmed) {
		t.Errorf("the password is removed: %v", err)
	}
	if _, err := b.Owner.ChangeAddress(t.Context(), v.Caller, v.found(), "new@example.org", false); !errors.Is(err, flow.Alarmed) {
		t.Errorf("a change after the alarm: %v", err)
	}
	for range 11 { // one more than downloads a day
		if _, err := b.Owner.Data(t.Context(), v.Caller, v.found()); !errors.Is(err, flow.Alarmed) {
			t.Errorf("a download after the alarm: %v", err)
		}
	}
	b.clock.Advance(72 * time.Hour)
	v.must(v.signIn("mara@example.org", good+" anew"))
	v.asks("new@example.org")
}

// An alarm makes the links of the emails before it void, so that no later press
// removes the new password.
func TestRaiseAlarm_OnceForAllEmailsBefore(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	var links []string
	for _, password := range []string{another, good} {
		b.clock.Advance(time.Minute)
		v.must(b.Owner.ChangePassword(t.Context(), v.Caller, v.found(), password, password))
		links = append(links, alarmToken(b.next()))
	}
	b.clock.Advance(time.Minute)
	v.must(b.Flows.RaiseAlarm(t.Context(), v.Caller, links[0]))
	b.next()
	if _, err := b.Flows.RaiseAlarm(t.Context(), v.Caller, links[1]); !errors.Is(err, flow.AlarmDone) {
		t.Errorf("the newer link works: %v", err)
	}
}

func TestRaiseAlarm_Refused(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	id := v.found().User.ID
	token := alarmToken(v.moves("mara@example.net"))
	for _, bad := range []string{"", "malformed", token[:len(token)-4], token + "AAAA"} {
		if _, err := b.Flows.RaiseAlarm(t.Context(), v.Caller, bad); !errors.Is(err, flow.AlarmOver) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if _, err := b.Operator.CreateUser(t.Context(), flow.ByOperator, "mara@example.org", "", ""); !errors.Is(err, account.Exists) {
		t.Errorf("the former address is not kept: %v", err)
	}
	if err := b.Operator.SetUserAddress(t.Context(), flow.ByOperator, id, "other@example.org"); err != nil {
		t.Fatal(err)
	}
	b.next()
	b.next()
	if _, err := b.Flows.RaiseAlarm(t.Context(), v.Caller, token); !errors.Is(err, flow.AlarmOver) {
		t.Errorf("after the operator gave another address: %v", err)
	}
	if _, err := b.Operator.CreateUser(t.Context(), flow.ByOperator, "mara@example.org", "", ""); err != nil {
		t.Errorf("the operator cannot use the address: %v", err)
	}
}

func TestRaiseAlarm_Expires(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	token := alarmToken(v.moves("mara@example.net"))
	b.clock.Advance(72 * time.Hour)
	if _, err := b.Flows.RaiseAlarm(t.Context(), v.Caller, token); !errors.Is(err, flow.AlarmOver) {
		t.Errorf("%v", err)
	}
	if _, err := b.Operator.CreateUser(t.Context(), flow.ByOperator, "mara@example.org", "", ""); err != nil {
		t.Errorf("the former address is still kept: %v", err)
	}
}

// An alarm leaves a passkey of before, with which a thief may sign in. Only the
// mailbox gives the account a password then.
func TestRaiseAlarm_NoPasswordWithoutTheMailbox(t *testing.T) {
	t.Parallel()
	b := setup(t, withPasskeys(t))
	v, thief := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	v.register("mara@example.org")
	a := v.adds()
	b.next()
	b.clock.Advance(73 * time.Hour)
	thief.must(thief.uses(a))
	v.must(b.Flows.RaiseAlarm(t.Context(), v.Caller, alarmToken(b.next())))
	b.next()
	thief.must(thief.uses(a))
	b.next()
	set := func() error {
		_, err := b.Owner.ChangePassword(t.Context(), thief.Caller, thief.found(), another, another)
		return err
	}
	if err := set(); !errors.Is(err, flow.Alarmed) {
		t.Fatalf("the account gets a password: %v", err)
	}
	b.clock.Advance(72 * time.Hour)
	thief.must(thief.uses(a))
	if err := set(); err != nil {
		t.Errorf("after the time of the alarm: %v", err)
	}
}

// Strangers use up the emails of a mailbox. The owner who raises an alarm still gets the code for a
// new password, which the alarm has removed.
func TestRaiseAlarm_BesideTheEmailsOfStrangers(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	token := alarmToken(v.moves("thief@example.net"))
	for i := range 25 {
		stranger := b.visitor(fmt.Sprintf("198.51.100.%d", i))
		stranger.must(b.Flows.Recover(t.Context(), stranger.Caller, "mara@example.org", flow.Target{}))
	}
	owner := b.visitor("198.51.100.1")
	if r := owner.must(b.Flows.RaiseAlarm(t.Context(), owner.Caller, token)); r.Held != nil {
		t.Error("the email with the code is held")
	}
}
