package flow_test

import (
	"errors"
	"net/url"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/code"
	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/outbox"
	"portico/internal/session"
)

// asks begins a change of the address and returns the flow with the email that it
// causes.
func (v *visitor) asks(address string) (flow.Result, outbox.Message) {
	v.Helper()
	r := v.must(v.Owner.ChangeAddress(v.Context(), v.Caller, v.found(), address, false))
	return r, v.next()
}

// moves changes the address and returns the email to the former one.
func (v *visitor) moves(address string) outbox.Message {
	v.Helper()
	r, m := v.asks(address)
	v.must(v.Flows.VerifyCode(v.Context(), v.Caller, r.FlowID, m.Data["code"]))
	if m = v.next(); m.Template == "address-replaced" {
		v.next()
		return m
	}
	return v.next()
}

func alarmToken(m outbox.Message) string {
	u, err := url.Parse(m.Data["alarm_link"])
	if err != nil {
		return ""
	}
	return u.Query().Get("token")
}

func TestChangeAddress(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v, elsewhere := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	v.register("mara@example.org")
	elsewhere.must(elsewhere.signIn("mara@example.org", good))
	b.next() // about the new browser
	r, m := v.asks("mara@example.net")
	if m.Template != "confirm-address" || m.To != "mara@example.net" || r.Next == "" || r.Session != nil {
		t.Fatalf("%+v, %+v", m, r)
	}
	if v.found().User.Address != "mara@example.org" {
		t.Error("the address has changed before it was proven")
	}
	if _, err := b.Flows.VerifyCode(t.Context(), flow.Caller{BrowserCookie: v.Caller.BrowserCookie}, r.FlowID, m.Data["code"]); !errors.Is(err, session.Required) {
		t.Errorf("a browser that is not signed in gives the address: %v", err)
	}
	done := v.must(b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, m.Data["code"]))
	if done.Next != "/auth/account/addresses" || v.found().User.Address != "mara@example.net" || elsewhere.signedIn() != "" {
		t.Errorf("%+v, the address is %s, elsewhere %q", done, v.found().User.Address, elsewhere.signedIn())
	}
	mails := map[string]string{}
	for range 2 {
		m := b.next()
		mails[m.Template] = m.To
		if (m.Data["alarm_link"] != "") != (m.To == "mara@example.org") { // the other one is young
			t.Errorf("%s has a link, or none", m.To)
		}
	}
	if mails["address-replaced"] != "mara@example.org" || mails["address-added"] != "mara@example.net" {
		t.Errorf("the emails are %v", mails)
	}
	if f := b.record(audit.AddressChanged); f.Actor != "self" || f.AccountID != v.found().User.ID {
		t.Errorf("%+v", f)
	}
	if _, err := v.signIn("mara@example.org", good); !errors.Is(err, flow.Rejected) {
		t.Errorf("the former address still signs in: %v", err)
	}
	v.must(v.signIn("mara@example.net", good))
}

func TestChangeAddress_Refused(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	for typed, want := range map[string]string{"mara@example.org": flow.CodeAddressSame, "mara": account.CodeAddressInvalid} {
		_, err := b.Owner.ChangeAddress(t.Context(), v.Caller, v.found(), typed, false)
		if f := fault.From(err); len(f.Fields) != 1 || f.Fields[0].Code != want {
			t.Errorf("%s: %v", typed, err)
		}
	}
	b.clock.Advance(10 * time.Minute)
	if _, err := b.Owner.ChangeAddress(t.Context(), v.Caller, v.found(), "mara@example.net", false); !errors.Is(err, flow.ProofNeeded) {
		t.Errorf("with an old proof: %v", err)
	}
}

// The address of another account takes the same steps. Its mailbox gets an email
// without a code.
func TestChangeAddress_TakenLooksTheSame(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.visitor("192.0.2.1")
	b.visitor("192.0.2.2").register("noor@example.org")
	v.register("mara@example.org")
	free, _ := v.asks("free@example.org")
	taken, m := v.asks("noor@example.org")
	if m.Template != "address-taken" || m.To != "noor@example.org" || m.Data["code"] != "" || m.Data["link"] != "" {
		t.Errorf("%+v", m)
	}
	for _, r := range []flow.Result{free, taken} {
		view, err := b.Flows.View(t.Context(), v.Caller, r.FlowID)
		if err != nil || view.State() != "code" || view.Kind != flow.AddressChange {
			t.Errorf("%+v, %v", view, err)
		}
	}
	if _, err := b.Flows.VerifyCode(t.Context(), v.Caller, taken.FlowID, "000000"); !errors.Is(err, code.Wrong) && err == nil {
		t.Errorf("%v", err)
	}
}

// Another account gets the address after the code was mailed.
func TestChangeAddress_TakenMeanwhile(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	r, m := v.asks("new@example.org")
	if _, err := b.Operator.CreateUser(t.Context(), flow.ByOperator, "new@example.org", "", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, m.Data["code"]); !errors.Is(err, flow.AddressTaken) {
		t.Errorf("%v", err)
	}
	if v.signedIn() == "" {
		t.Error("the user is signed out")
	}
}

// A change of the credentials ends a change of the address (SEC-128).
func TestChangeAddress_EndsWithTheCredentials(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	first, m := v.asks("one@example.org")
	second, _ := v.asks("two@example.org")
	v.must(b.Owner.ChangePassword(t.Context(), v.Caller, v.found(), another, another))
	b.next()
	for _, r := range []flow.Result{first, second} {
		if _, err := b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, m.Data["code"]); err == nil {
			t.Error("the change goes on")
		}
	}
	if v.found().User.Address != "mara@example.org" {
		t.Error("the address has changed")
	}
}

func TestChangeAddress_LinkInThisBrowserOnly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v, stranger := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	v.register("mara@example.org")
	stranger.register("noor@example.org")
	_, m := v.asks("mara@example.net")
	in := flow.LinkInput{Token: linkToken(m)}
	if view, err := b.Flows.ViewLink(t.Context(), stranger.Caller, in.Token); err != nil || !view.Away || view.Email != "" {
		t.Errorf("%+v, %v", view, err)
	}
	if _, err := b.Flows.ConfirmLink(t.Context(), stranger.Caller, in); !errors.Is(err, flow.LinkElsewhere) {
		t.Errorf("%v", err)
	}
	if _, err := b.Flows.ResendLink(t.Context(), stranger.Caller, in.Token); err == nil {
		t.Error("the stranger goes on with the change")
	}
	v.must(b.Flows.ConfirmLink(t.Context(), v.Caller, in))
	if v.found().User.Address != "mara@example.net" {
		t.Error("the address is " + v.found().User.Address)
	}
}

func TestChangeAddress_Resend(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	r, _ := v.asks("mara@example.net")
	b.clock.Advance(time.Minute)
	v.must(b.Flows.Resend(t.Context(), v.Caller, r.FlowID))
	b.next()
	for range 5 {
		if _, err := b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, "000000"); err == nil {
			t.Skip("the code is 000000")
		}
	}
	b.clock.Advance(time.Minute)
	next := v.must(b.Flows.Resend(t.Context(), v.Caller, r.FlowID))
	m := b.next()
	if next.FlowID == r.FlowID || m.Template != "confirm-address" {
		t.Fatalf("%+v, %+v", next, m)
	}
	v.must(b.Flows.VerifyCode(t.Context(), v.Caller, next.FlowID, m.Data["code"]))
	if v.found().User.Address != "mara@example.net" {
		t.Error("the address is " + v.found().User.Address)
	}
}

// The owner ends the session of a thief at another node. This node still keeps it, and
// the thief enters the code of the new address.
func TestChangeAddress_SessionEndedElsewhere(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	r, m := v.asks("thief@example.org")
	found := v.found()
	err := b.store.Write(t.Context(), func(tx flow.Tx) error {
		_, err := tx.DeleteSession(t.Context(), found.User.ID, found.Session.ID, session.Elsewhere)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, m.Data["code"]); !errors.Is(err, session.Required) {
		t.Errorf("an ended session changes the address: %v", err)
	}
	if a, err := b.Operator.User(t.Context(), "mara@example.org"); err != nil || a.ID != found.User.ID {
		t.Errorf("the account has another address (%v)", err)
	}
}
