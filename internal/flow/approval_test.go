package flow_test

import (
	"errors"
	"maps"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/flow"
	"portico/internal/people"
	"portico/internal/store"
	"portico/internal/webhook"
)

// applies signs up an account that waits.
func (b *bundle) applies(address string) {
	b.Helper()
	v := b.visitor("192.0.2.1")
	r := v.sends(flow.SignUp, address, good)
	v.must(b.Flows.VerifyCode(b.Context(), v.Caller, r.FlowID, b.next().Data["code"]))
	if m := b.next(); m.Template != "approval-awaited" || m.To != address {
		b.Fatalf("%s gets %+v", address, m)
	}
}

// told runs the background work, and returns the count in the email to each admin.
func (b *bundle) told() (counts map[string]string) {
	b.Helper()
	var posted []string
	if err := b.store.past(b.Context(), func(tx *store.Tx) error {
		posted = nil
		return b.Operator.TellOfApplicants(b.Context(), notingTx{tx, new([]audit.Fact), &posted, new([]webhook.Event)})
	}); err != nil {
		b.Fatal(err)
	}
	counts = map[string]string{}
	for range posted {
		m := b.next()
		if m.Template != "approvals-asked" || m.Data["people_link"] != "https://portico.test/auth/admin/people?state=waiting" {
			b.Errorf("%s gets %+v", m.To, m)
		}
		counts[m.To] = m.Data["count"]
	}
	return counts
}

// SEC-419: however many sign up, each admin gets one email an hour, and none when nothing is new. Who was
// decided about does not count, and nobody but admins learns of it.
func TestTellOfApplicants(t *testing.T) {
	t.Parallel()
	b := setup(t, with(flow.ModeApproved))
	admin := []string{flow.RoleAdmin}
	for _, address := range []string{"noor@example.org", "kim@example.org", "gone@example.org"} {
		if _, err := b.Operator.CreateUser(t.Context(), flow.ByOperator, address, "", good, admin...); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Operator.CreateUser(t.Context(), flow.ByOperator, "editor@example.org", "", good, "editor"); err != nil {
		t.Fatal(err)
	}
	if err := b.Operator.SetUserState(t.Context(), flow.ByOperator, b.user("gone@example.org").ID, account.DisabledByOperator); err != nil {
		t.Fatal(err)
	}
	b.mails(1)
	if got := b.brings(how(), people.Person{Email: "unproven@example.org", Roles: admin}); got[0] != "created" {
		t.Fatal(got)
	}
	expect := func(when, count string) {
		t.Helper()
		want := map[string]string{}
		if count != "" {
			want = map[string]string{"noor@example.org": count, "kim@example.org": count}
		}
		if got := b.told(); !maps.Equal(got, want) {
			t.Errorf("%s: the emails have %v, want %v", when, got, want)
		}
	}
	expect("when nobody waits", "")
	b.applies("a@example.org")
	b.applies("b@example.org")
	if err := b.Operator.ApproveUser(t.Context(), flow.ByOperator, b.user("b@example.org").ID); err != nil {
		t.Fatal(err)
	}
	b.mails(1)
	b.applies("c@example.org")
	expect("two wait", "2")
	b.applies("d@example.org")
	b.clock.Advance(time.Hour - time.Second)
	expect("within the hour", "")
	b.clock.Advance(time.Second)
	expect("one is new", "1")
	b.clock.Advance(24 * time.Hour)
	expect("none is new", "")
	b.applies("e@example.org")
	if err := b.Operator.RefuseUser(t.Context(), flow.ByOperator, b.user("e@example.org").ID); err != nil {
		t.Fatal(err)
	}
	b.mails(1)
	expect("the new one was refused", "")
}

// The right password of an account that lets nobody in is no wrong one: it makes its owner wait for nothing afterwards, and
// uses up nothing of the network.
func TestSignIn_TurnedAway(t *testing.T) {
	t.Parallel()
	b := setup(t, with(flow.ModeApproved))
	const address = "a@example.org"
	b.applies(address)
	id, ctx := b.user(address).ID, t.Context()
	looks := func(when string, want error, code string) {
		t.Helper()
		for range 101 {
			if r, err := b.visitor("192.0.2.1").signIn(address, good); !errors.Is(err, want) || r.Session != nil {
				t.Fatalf("%s: %+v, %v", when, r, err)
			}
		}
		if f := b.record(audit.SignInRefused); f.Actor != "self" || f.Detail != "password,"+code || f.AccountID != id {
			t.Errorf("%s: the record has %+v", when, f)
		}
	}
	looks("waiting", nil, account.CodeWaits)
	b.must(b.Operator.ApproveUser(ctx, flow.ByOperator, id))
	b.must(b.Operator.SetUserState(ctx, flow.ByOperator, id, account.DisabledByOperator))
	looks("disabled", account.Disabled, account.CodeDisabled)
	b.must(b.Operator.SetUserState(ctx, flow.ByOperator, id, account.Active))
	b.must(b.Operator.SetUserEnd(ctx, flow.ByOperator, id, b.clock.Now().Add(time.Second)))
	b.clock.Advance(time.Second)
	looks("ended", account.Ended, account.CodeEnded)
	b.must(b.Operator.SetUserEnd(ctx, flow.ByOperator, id, time.Time{}))
	v := b.visitor("192.0.2.1")
	v.must(v.signIn(address, good))
	if v.signedIn() != address {
		t.Error("not signed in")
	}
}
