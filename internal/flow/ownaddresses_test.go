package flow_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/outbox"
)

// recovers adds an address for a recovery, and returns the emails about it by
// their recipients.
func (v *visitor) recovers(address string, told int) map[string]outbox.Message {
	v.Helper()
	r := v.must(v.Owner.ChangeAddress(v.Context(), v.Caller, v.found(), address, true))
	v.must(v.Flows.VerifyCode(v.Context(), v.Caller, r.FlowID, v.next().Data["code"]))
	return v.mails(told)
}

// mails returns the next n emails by their recipients and templates.
func (b *bundle) mails(n int) map[string]outbox.Message {
	b.Helper()
	all := map[string]outbox.Message{}
	for range n {
		m := b.next()
		all[m.To+" "+m.Template] = m
	}
	return all
}

// has returns the addresses of the visitor with their uses.
func (v *visitor) has() string {
	v.Helper()
	list, err := v.Owner.Addresses(v.Context(), v.found().User.ID)
	if err != nil {
		v.Fatal(err)
	}
	text := v.found().User.Address
	for _, o := range list {
		text += fmt.Sprintf(", %s %s", o.Use, o.Address.Mail)
	}
	return text
}

func (b *bundle) expects(what string, got, want any) {
	b.Helper()
	if got != want {
		b.Errorf("%s is %v, want %v", what, got, want)
	}
}

// An address for a recovery gets notices and resets the password, and does not sign
// in.
func TestAddresses_Recovery(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v, elsewhere := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	v.register("mara@example.org")
	told := v.recovers("safe@example.org", 2)
	for _, to := range []string{"mara@example.org", "safe@example.org"} {
		if m := told[to+" recovery-address-set"]; (m.Data["alarm_link"] != "") != (to == "mara@example.org") || m.Data["address"] != "s•••@example.org" {
			t.Errorf("%s gets %+v", to, m)
		}
	}
	b.expects("the account", v.has(), "mara@example.org, recovery safe@example.org")
	b.expects("the actor", b.record(audit.RecoverySet).Actor, "self")
	if _, err := elsewhere.signIn("safe@example.org", good); !errors.Is(err, flow.Rejected) {
		t.Errorf("the address signs in: %v", err)
	}
	r := elsewhere.must(b.Flows.Recover(t.Context(), elsewhere.Caller, "SAFE@example.org", flow.Target{}))
	m := b.next()
	if m.Template != "recover" || m.To != "safe@example.org" {
		t.Fatalf("%+v", m)
	}
	elsewhere.must(b.Flows.VerifyCode(t.Context(), elsewhere.Caller, r.FlowID, m.Data["code"]))
	elsewhere.must(b.Flows.ResetPassword(t.Context(), elsewhere.Caller, flow.ResetInput{FlowID: r.FlowID, Password: another, Confirm: another}))
	b.expects("the user", elsewhere.signedIn(), "mara@example.org")
	b.expects("the other browser", v.signedIn(), "")
	told = b.mails(2)
	if told["mara@example.org password-changed"].To == "" || told["safe@example.org password-changed"].To == "" {
		t.Errorf("the notices are %v", told)
	}
}

// Of two addresses, one recovers. A recovery that began with the other one has ended.
func TestAddresses_OneRecovers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v, stranger := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	v.register("mara@example.org")
	v.recovers("first@example.org", 2)
	begun := stranger.must(b.Flows.Recover(t.Context(), stranger.Caller, "first@example.org", flow.Target{}))
	code := b.next().Data["code"]
	told := v.recovers("second@example.org", 3)
	if m := told["first@example.org recovery-address-set"]; m.Template == "" {
		t.Errorf("the address before it gets no notice: %v", told)
	}
	b.expects("the account", v.has(), "mara@example.org, other first@example.org, recovery second@example.org")
	if _, err := b.Flows.VerifyCode(t.Context(), stranger.Caller, begun.FlowID, code); !errors.Is(err, flow.Unknown) {
		t.Errorf("a recovery with the other address goes on: %v", err)
	}
	stranger.must(b.Flows.Recover(t.Context(), stranger.Caller, "first@example.org", flow.Target{}))
	if m := b.next(); m.Template != "address-of-account" || m.To != "first@example.org" || m.Data["code"] != "" || m.Data["address"] != "m•••@example.org" {
		t.Errorf("an address that does not recover gets %+v", m)
	}
	v.must(b.Owner.SetRecovery(t.Context(), v.Caller, v.found(), "first@example.org"))
	b.mails(3)
	b.expects("the account", v.has(), "mara@example.org, recovery first@example.org, other second@example.org")
}

// Another address signs in after a press, and the former primary one takes its place.
func TestAddresses_MakePrimary(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v, elsewhere := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	v.register("mara@example.org")
	v.recovers("safe@example.org", 2)
	elsewhere.must(elsewhere.signIn("mara@example.org", good))
	b.mails(2) // about the new browser
	old := v.found().Session
	b.clock.Advance(time.Minute)
	v.must(b.Owner.MakePrimary(t.Context(), v.Caller, v.found(), "safe@example.org"))
	b.expects("the account", v.has(), "safe@example.org, recovery mara@example.org")
	b.expects("the other browser", elsewhere.signedIn(), "")
	if s := v.found().Session; s.ID == old.ID || !s.CreatedAt.Equal(old.CreatedAt) || !s.ExpiresAt.Equal(old.ExpiresAt) {
		t.Errorf("this browser has %+v, after %+v", s, old)
	}
	told := b.mails(2)
	m := told["mara@example.org address-replaced"]
	if m.To == "" || told["safe@example.org address-added"].To == "" {
		t.Fatalf("%v", told)
	}
	elsewhere.must(elsewhere.signIn("safe@example.org", good))
	v.must(b.Flows.RaiseAlarm(t.Context(), b.visitor("192.0.2.3").Caller, alarmToken(m)))
	owner, err := b.Operator.User(t.Context(), "mara@example.org")
	if err != nil || owner.Address.Mail != "mara@example.org" {
		t.Errorf("the former address is not restored: %v", err)
	}
}

func TestAddresses_Remove(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v, other := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	v.register("mara@example.org")
	v.recovers("safe@example.org", 2)
	for name, change := range map[string]func(mail string) error{
		"primary":  func(m string) error { _, err := b.Owner.MakePrimary(t.Context(), v.Caller, v.found(), m); return err },
		"recovery": func(m string) error { _, err := b.Owner.SetRecovery(t.Context(), v.Caller, v.found(), m); return err },
		"remove":   func(m string) error { _, err := b.Owner.RemoveAddress(t.Context(), v.Caller, v.found(), m); return err },
	} {
		for _, mail := range []string{"mara@example.org", "nobody@example.org", "no address"} {
			if err := change(mail); !errors.Is(err, flow.NoAddress) {
				t.Errorf("%s of %s: %v", name, mail, err)
			}
		}
	}
	v.must(b.Owner.RemoveAddress(t.Context(), v.Caller, v.found(), "safe@example.org"))
	told := b.mails(2)
	if told["mara@example.org address-removed"].To == "" || told["safe@example.org address-removed"].To == "" {
		t.Errorf("%v", told)
	}
	b.expects("the account", v.has(), "mara@example.org, removed safe@example.org")
	if _, err := b.Operator.CreateUser(t.Context(), flow.ByOperator, "safe@example.org", "", ""); !errors.Is(err, account.Exists) {
		t.Errorf("another account gets the address at once: %v", err)
	}
	b.clock.Advance(72 * time.Hour)
	other.register("safe@example.org")
}

// An address belongs to one account, whatever it is for.
func TestAddresses_OfOneAccount(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v, other := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	v.register("mara@example.org")
	other.register("noor@example.org")
	v.recovers("safe@example.org", 2)
	for name, ask := range map[string]func() (flow.Result, error){
		"a sign-up": func() (flow.Result, error) {
			return b.Flows.SignUp(t.Context(), b.visitor("192.0.2.3").Caller, flow.SignUpInput{Email: "safe@example.org", Password: good, Confirm: good})
		},
		"another account": func() (flow.Result, error) {
			return b.Owner.ChangeAddress(t.Context(), other.Caller, other.found(), "safe@example.org", false)
		},
		"a recovery of another account": func() (flow.Result, error) {
			return b.Owner.ChangeAddress(t.Context(), other.Caller, other.found(), "safe@example.org", true)
		},
	} {
		if _, err := ask(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if m := b.next(); m.To != "safe@example.org" || m.Data["code"] != "" || m.Template != "address-taken" && m.Template != "address-of-account" {
			t.Errorf("%s: %+v", name, m)
		}
	}
	_, err := b.Owner.ChangeAddress(t.Context(), v.Caller, v.found(), "Mara@example.org", true)
	if f := fault.From(err); len(f.Fields) != 1 || f.Fields[0].Code != flow.CodeAddressSame {
		t.Errorf("the primary address for a recovery: %v", err)
	}
	// Proven before the other account had it.
	r, m := v.asks("race@example.org")
	_ = r
	late := other.must(b.Owner.ChangeAddress(t.Context(), other.Caller, other.found(), "race@example.org", true))
	code := b.next().Data["code"]
	v.must(b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, m.Data["code"]))
	if _, err := b.Flows.VerifyCode(t.Context(), other.Caller, late.FlowID, code); !errors.Is(err, flow.AddressTaken) {
		t.Errorf("two accounts have an address: %v", err)
	}
}

func TestAddresses_Full(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	for n := range 9 {
		v.recovers(fmt.Sprintf("a%d@example.org", n), 2+min(n, 1))
		b.clock.Advance(time.Minute)
		v.must(v.signIn("mara@example.org", good))
	}
	if _, err := b.Owner.ChangeAddress(t.Context(), v.Caller, v.found(), "more@example.org", true); !errors.Is(err, flow.AddressesFull) {
		t.Errorf("%v", err)
	}
	if _, err := b.Owner.ChangeAddress(t.Context(), v.Caller, v.found(), "a0@example.org", true); err != nil {
		t.Errorf("an address that the account has: %v", err)
	}
}

// An operator who sets an address ends all claims of the person before, also by the one
// that signs in already.
func TestAddresses_OfAnOperator(t *testing.T) {
	t.Parallel()
	for _, to := range []string{"noor@example.org", "mara@example.org"} {
		t.Run(to, func(t *testing.T) {
			t.Parallel()
			b, v := registered(t)
			told := v.recovers("safe@example.org", 2)
			id := v.found().User.ID
			if err := b.Operator.SetUserAddress(t.Context(), flow.ByOperator, id, to); err != nil {
				t.Fatal(err)
			}
			after := b.mails(3)
			if after["safe@example.org address-changed"].To == "" {
				t.Errorf("the address for notices gets none: %v", after)
			}
			if list, err := b.Owner.Addresses(t.Context(), id); err != nil || len(list) != 0 {
				t.Errorf("%v, %v", list, err)
			}
			if _, err := b.Flows.RaiseAlarm(t.Context(), v.Caller, alarmToken(told["safe@example.org recovery-address-set"])); !errors.Is(err, flow.AlarmOver) {
				t.Errorf("an alarm of the address before: %v", err)
			}
		})
	}
}

// Two addresses get the notices of an account and recover it, as sections 4.6 and 4.2.1.2
// of SP 800-63B-4 ask. A spare address does neither.
func TestNIST_Addresses(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	v.recovers("spare@example.org", 2)
	b.clock.Advance(time.Second)
	v.recovers("safe@example.org", 3)
	v.must(b.Owner.ChangePassword(t.Context(), v.Caller, v.found(), another, another))
	told := b.mails(2)
	for address, want := range map[string]string{"mara@example.org": "recover", "safe@example.org": "recover", "spare@example.org": "address-of-account"} {
		v.forgets(address)
		b.mailed(want, "en")
		if _, got := told[address+" password-changed"]; got != (want == "recover") {
			t.Errorf("%s gets a notice: %v", address, got)
		}
	}
}
