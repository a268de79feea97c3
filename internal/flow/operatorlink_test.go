package flow_test

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/secret"
)

// handed presses a new link of the operator, and returns the page that follows.
func (v *visitor) handed(address string) (page, flowID string) {
	v.Helper()
	a := v.user(address)
	link, _, err := v.Operator.AccountLink(v.Context(), flow.ByOperator, a)
	if err != nil {
		v.Fatal(err)
	}
	u, err := url.Parse(link)
	if err != nil {
		v.Fatal(err)
	}
	r := v.must(v.Flows.ConfirmLink(v.Context(), v.Caller, flow.LinkInput{Token: u.Query().Get("token")}))
	page, _, _ = strings.Cut(r.Next, "?")
	return page, r.FlowID
}

// Where an account needs a second factor, the passkey of the link is one. After a
// password the factor is added before the session.
func TestAccountLink_WhereAFactorIsNeeded(t *testing.T) {
	t.Parallel()
	b := setup(t, withPasskeys(t), func(c *flow.Config) { c.Require = flow.Require{All: true} })
	for _, address := range []string{"mara@example.org", "kim@example.org"} {
		if _, err := b.Operator.CreateUser(t.Context(), flow.ByOperator, address, "", good); err != nil {
			t.Fatal(err)
		}
	}
	mara, kim := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	page, id := mara.handed("mara@example.org")
	if page != "/auth/signup-passkey" {
		t.Fatalf("the link leads to %s", page)
	}
	_, made := mara.first(id)
	if r := mara.must(b.Flows.AddFirstPasskey(t.Context(), mara.Caller, id, made)); r.Next != "/auth/account" || !mara.found().Session.Strong() {
		t.Errorf("after the passkey: %s", r.Next)
	}
	got := b.mails(3)
	for _, template := range []string{"link-made", "passkey-added", "password-removed"} {
		if _, ok := got["mara@example.org "+template]; !ok {
			t.Errorf("the owner gets no email %s, but %v", template, got)
		}
	}

	_, id = kim.handed("kim@example.org")
	r := kim.must(b.Flows.ResetPassword(t.Context(), kim.Caller, flow.ResetInput{FlowID: id, Password: another, Confirm: another}))
	if r.Session != nil || !strings.HasPrefix(r.Next, "/auth/protect?") {
		t.Errorf("after the password: %s", r.Next)
	}
}

// A sign-in by the link is recorded as such: no email has proven the mailbox.
func TestAccountLink_Recorded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.visitor("192.0.2.1").register("mara@example.org")
	v, before := b.visitor("192.0.2.2"), b.Flows.Stats()
	_, id := v.handed("mara@example.org")
	v.must(b.Flows.ResetPassword(t.Context(), v.Caller, flow.ResetInput{FlowID: id, Password: another, Confirm: another}))
	r := b.record(audit.SignedIn)
	if words := b.Owner.ProofsOf(r)[0].String(); r.Detail != "operator_link" || words != "link from the operator" {
		t.Errorf("the record says %q, in words %q", r.Detail, words)
	}
	if got := v.found().Session.Methods; !slices.Equal(got, []string{"operator_link"}) {
		t.Errorf("the session has %v", got)
	}
	if got := grown(t, before.SignIns, b.Flows.Stats().SignIns); !maps.Equal(got, map[string]uint64{"operator_link": 1}) {
		t.Errorf("the counters say %v", got)
	}

	begun := v.must(b.Flows.Recover(t.Context(), v.Caller, "mara@example.org", flow.Target{}))
	m := b.next()
	for m.Template != "recover" {
		m = b.next()
	}
	begun = v.must(b.Flows.VerifyCode(t.Context(), v.Caller, begun.FlowID, m.Data["code"]))
	v.must(b.Flows.ResetPassword(t.Context(), v.Caller, flow.ResetInput{FlowID: begun.FlowID, Password: good, Confirm: good}))
	if r := b.record(audit.SignedIn); r.Detail != "mail" {
		t.Errorf("after a recovery the record says %q", r.Detail)
	}
}

// While an alarm closes the account, the link gives a password only. So does the link of
// an email that takes the place of an expired one.
func TestAccountLink_ToAPasswordOnly(t *testing.T) {
	t.Parallel()
	b, v := registered(t, withPasskeys(t))
	v.must(b.Owner.ChangePassword(t.Context(), v.Caller, v.found(), another, another))
	v.must(b.Flows.RaiseAlarm(t.Context(), v.Caller, alarmToken(b.next())))
	b.next()
	if page, _ := v.handed("mara@example.org"); page != "/auth/reset-password" {
		t.Errorf("after an alarm: %s", page)
	}
	b.next()
	b.clock.Advance(72 * time.Hour)
	a := b.user("mara@example.org")
	link, _, err := b.Operator.AccountLink(t.Context(), flow.ByOperator, a)
	if err != nil {
		t.Fatal(err)
	}
	b.next()
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	b.clock.Advance(16 * time.Minute)
	v.must(b.Flows.ResendLink(t.Context(), v.Caller, u.Query().Get("token")))
	elsewhere := b.visitor("192.0.2.3")
	r := elsewhere.must(b.Flows.ConfirmLink(t.Context(), elsewhere.Caller, flow.LinkInput{Token: linkToken(b.next())}))
	if !strings.HasPrefix(r.Next, "/auth/reset-password?") {
		t.Errorf("the link of the email leads to %s", r.Next)
	}
}

// Its owner has added a passkey since the link was pressed.
func TestAccountLink_FactorMeanwhile(t *testing.T) {
	t.Parallel()
	b, owner := registered(t, withPasskeys(t))
	v := b.visitor("192.0.2.2")
	_, id := v.handed("mara@example.org")
	owner.adds()
	_, err := b.Flows.BeginFirstPasskey(t.Context(), v.Caller, id)
	if f := fault.From(err); f.Params["reason"] != "overtaken" {
		t.Errorf("the page says %s", f)
	}
	if view, err := b.Flows.View(t.Context(), v.Caller, id); err != nil || view.Passkey || !strings.HasPrefix(view.Next, "/auth/reset-password?") {
		t.Errorf("after a reload: %+v, %v", view, err)
	}
}

// Section 4.2.1.2 of SP 800-63B-4 asks for 112 bits.
func TestNIST_Link(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a, err := b.Operator.CreateUser(t.Context(), flow.ByOperator, "mara@example.org", "", good)
	if err != nil {
		t.Fatal(err)
	}
	link, _, err := b.Operator.AccountLink(t.Context(), flow.ByOperator, a)
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(link, "token=")
	if token, ok := secret.Decode(text); !ok || len(token)*8 < 112 {
		t.Errorf("the link has %d bits", len(token)*8)
	}
}
