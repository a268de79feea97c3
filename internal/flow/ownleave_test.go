package flow_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/flow"
	"portico/internal/pages"
)

// leaves closes the account of the visitor, and returns its id.
func (v *visitor) leaves() string {
	v.Helper()
	found := v.found()
	if err := v.Owner.LeaveAccount(v.Context(), v.Caller, found); err != nil {
		v.Fatal(err)
	}
	return found.User.ID
}

// erase does what the background work does.
func (b *bundle) erase() {
	b.Helper()
	b.must(b.store.Write(b.Context(), func(tx flow.Tx) error {
		due, err := tx.DueDepartures(b.Context(), b.clock.Now(), 10)
		for _, id := range due {
			err = errors.Join(err, b.Operator.EraseDue(b.Context(), tx, id))
		}
		return err
	}))
}

// rows returns the tables that name an account, and nil without one.
func (b *bundle) rows(a account.Account) map[string]int {
	b.Helper()
	counts := map[string]int{}
	err := b.store.Read(b.Context(), func(tx flow.Tx) error {
		tables, err := tx.AccountData(b.Context(), a, b.clock.Now())
		for _, t := range tables {
			if len(t.Rows) > 0 {
				counts[t.Table] = len(t.Rows)
			}
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return counts
}

func TestLeaveAccount(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v, elsewhere := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	v.register("mara@example.org")
	elsewhere.must(elsewhere.signIn("mara@example.org", good))
	b.next() // about the new browser
	id := v.leaves()
	m := b.next()
	if at, err := time.Parse(time.RFC3339, m.Data["erase_at"]); m.Template != "account-left" || err != nil || !at.Equal(b.clock.Now().Add(14*24*time.Hour)) {
		t.Errorf("the owner gets %s with %q", m.Template, m.Data["erase_at"])
	}
	if f := b.record(audit.AccountLeft); f.AccountID != id || f.Actor != "self" {
		t.Errorf("%+v", f)
	}
	if v.signedIn() != "" || elsewhere.signedIn() != "" {
		t.Errorf("sessions go on: here %q, elsewhere %q", v.signedIn(), elsewhere.signedIn())
	}
	if _, err := v.signIn("mara@example.org", another); !errors.Is(err, flow.Rejected) {
		t.Errorf("a wrong password: %v", err)
	}
	b.clock.Advance(14*24*time.Hour - time.Second)
	b.erase()
	r := v.must(v.signIn("mara@example.org", good))
	if r.Session != nil || r.Next != pages.Flow(pages.Keep, r.FlowID) {
		t.Errorf("a sign-in leads to %q, with a session: %v", r.Next, r.Session != nil)
	}
	if view, err := b.Flows.View(t.Context(), v.Caller, r.FlowID); err != nil || !view.EraseAt.Equal(b.clock.Now().Add(time.Second)) {
		t.Errorf("%+v, %v", view, err)
	}
	if _, err := b.Flows.KeepAccount(t.Context(), elsewhere.Caller, r.FlowID); !errors.Is(err, flow.Unknown) {
		t.Errorf("another browser keeps it: %v", err)
	}
	kept := v.must(b.Flows.KeepAccount(t.Context(), v.Caller, r.FlowID))
	if v.signedIn() != "mara@example.org" || kept.Next != "/auth/account" {
		t.Errorf("signed in as %q, at %q", v.signedIn(), kept.Next)
	}
	for m := b.next(); m.Template != "account-kept"; m = b.next() {
		if m.Template != "signin-blocked" && m.Template != "new-device" {
			t.Errorf("the owner gets %s", m.Template)
		}
	}
	if again := v.must(b.Flows.KeepAccount(t.Context(), v.Caller, r.FlowID)); again.Next != kept.Next {
		t.Errorf("a second press leads to %q", again.Next)
	}
	b.clock.Advance(time.Hour)
	b.erase()
	if v.signedIn() == "" {
		t.Error("an account that was kept is erased")
	}
}

func TestLeaveAccount_IsErased(t *testing.T) {
	t.Parallel()
	b := setup(t, withProvider(t))
	v, other := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	v.register("mara@example.org")
	v.links("google")
	other.register("noor@example.org")
	a := b.user("mara@example.org")
	v.leaves()
	v.must(b.Flows.Recover(t.Context(), v.Caller, "mara@example.org", flow.Target{}))
	r := v.must(v.signIn("mara@example.org", good))
	for b.rows(a)["outbox"] > 0 { // until the emails are delivered
		time.Sleep(5 * time.Millisecond)
	}
	b.clock.Advance(14 * 24 * time.Hour)
	b.erase()
	for table, count := range b.rows(a) {
		if table != "audit" && table != "revocation" && table != "webhook_delivery" { // the last waits for its receiver
			t.Errorf("%d rows of %s are left", count, table)
		}
	}
	if f := b.record(audit.AccountDeleted); f.AccountID != a.ID || f.Detail != "left" {
		t.Errorf("%+v", f)
	}
	if _, err := v.signIn("mara@example.org", good); !errors.Is(err, flow.Rejected) {
		t.Errorf("a sign-in: %v", err)
	}
	if _, err := b.Flows.KeepAccount(t.Context(), v.Caller, r.FlowID); !errors.Is(err, flow.Unknown) {
		t.Errorf("a page that was open: %v", err)
	}
	other.must(other.signIn("noor@example.org", good))
	if _, err := b.Operator.CreateUser(t.Context(), flow.ByOperator, "mara@example.org", "", good); err != nil {
		t.Errorf("the address is not free: %v", err)
	}
}

// In the 14 days only the mailbox learns that there is an account, and a
// recovery takes it back only by the press.
func TestLeaveAccount_EqualAnswers(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	v.leaves()
	b.next()
	stranger := b.visitor("192.0.2.9")
	form := func(address string) flow.Result {
		return stranger.must(b.Flows.SignUp(t.Context(), stranger.Caller, flow.SignUpInput{Email: address, Password: another, Confirm: another}))
	}
	for _, address := range []string{"mara@example.org", "new@example.org"} {
		if r := form(address); !strings.HasPrefix(r.Next, pages.VerifyCode) || r.Held != nil || r.Session != nil {
			t.Errorf("a sign-up of %s: %+v", address, r)
		}
	}
	templates := map[string]string{}
	for range 2 {
		m := b.next()
		templates[m.To] = m.Template
	}
	if templates["mara@example.org"] != "already-registered" || templates["new@example.org"] != "verify-address" {
		t.Errorf("%v", templates)
	}
	r := v.must(b.Flows.Recover(t.Context(), v.Caller, "mara@example.org", flow.Target{}))
	v.must(b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, b.next().Data["code"]))
	r = v.must(b.Flows.ResetPassword(t.Context(), v.Caller, flow.ResetInput{FlowID: r.FlowID, Password: another, Confirm: another}))
	if r.Session != nil || !strings.HasPrefix(r.Next, pages.Keep) {
		t.Errorf("a recovery leads to %q", r.Next)
	}
	if _, err := b.Flows.StartAgain(t.Context(), v.Caller, r.FlowID, flow.Keep); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Flows.KeepAccount(t.Context(), v.Caller, r.FlowID); !errors.Is(err, flow.Moved) {
		t.Errorf("after the other button: %v", err)
	}
	b.clock.Advance(14 * 24 * time.Hour)
	b.erase()
	if _, err := b.Operator.User(t.Context(), "mara@example.org"); !errors.Is(err, account.Missing) {
		t.Errorf("a recovery alone keeps the account: %v", err)
	}
}

// An operator can open the account again, or close it: then it is erased all the same.
func TestLeaveAccount_Operator(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v, w := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	v.register("mara@example.org")
	w.register("noor@example.org")
	kept, gone := v.leaves(), w.leaves()
	if err := b.Operator.SetUserState(t.Context(), flow.ByOperator, kept, account.Active); err != nil {
		t.Fatal(err)
	}
	if err := b.Operator.SetUserState(t.Context(), flow.ByOperator, gone, account.DisabledByOperator); err != nil {
		t.Fatal(err)
	}
	if _, err := w.signIn("noor@example.org", good); !errors.Is(err, account.Disabled) {
		t.Errorf("a disabled account: %v", err)
	}
	b.clock.Advance(15 * 24 * time.Hour)
	b.erase()
	v.must(v.signIn("mara@example.org", good))
	if _, err := b.Operator.User(t.Context(), "noor@example.org"); !errors.Is(err, account.Missing) {
		t.Errorf("the disabled account: %v", err)
	}
	if f := b.record(audit.AccountDeleted); f.AccountID != gone || f.Actor != "self" || f.Detail != "left" {
		t.Errorf("its owner has closed it, and the record says %+v", f)
	}
	ada, _ := b.admin("ada@example.org", "192.0.2.3")
	_, err := b.Operator.ScheduleErasure(t.Context(), flow.ByAdmin(ada.Caller, ada.found()), kept, "mara@example.org")
	b.must(err)
	admin := audit.ByAdmin(ada.found().User.ID)
	b.must(b.Operator.SetUserState(t.Context(), flow.ByOperator, kept, account.DisabledByOperator))
	b.clock.Advance(account.Grace)
	b.erase()
	if f := b.record(audit.AccountDeleted); f.AccountID != kept || f.Actor != admin || f.Detail != "" {
		t.Errorf("an admin has deleted it, and the record says %+v", f)
	}
}

// An owner takes an account back, or closes it anew, while the background work is about to erase it.
func TestEraseDue_TakenBackMeanwhile(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	id := v.leaves()
	b.clock.Advance(14 * 24 * time.Hour)
	r := v.must(v.signIn("mara@example.org", good))
	v.must(b.Flows.KeepAccount(t.Context(), v.Caller, r.FlowID))
	for range 2 {
		b.must(b.store.Write(t.Context(), func(tx flow.Tx) error { return b.Operator.EraseDue(t.Context(), tx, id) }))
		if _, err := b.Operator.Person(t.Context(), id); err != nil {
			t.Fatalf("the account is erased: %v", err)
		}
		if v.signedIn() != "" {
			v.leaves()
		}
	}
}
