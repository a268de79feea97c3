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
)

func TestScheduleErasure(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a, err := b.Operator.CreateUser(t.Context(), flow.ByOperator, "mara@example.org", "", good)
	if err != nil {
		t.Fatal(err)
	}
	v := b.visitor("192.0.2.1")
	v.must(v.signIn("mara@example.org", good))
	if _, err := b.Operator.ScheduleErasure(t.Context(), flow.ByOperator, a.ID, "kim@example.org"); fault.From(err).Kind != fault.Invalid || v.signedIn() == "" {
		t.Errorf("another address than that of the account: %v, %q", err, v.signedIn())
	}
	leave := func() time.Time {
		until, err := b.Operator.ScheduleErasure(t.Context(), flow.ByOperator, a.ID, " MARA@example.org")
		if err != nil {
			t.Fatal(err)
		}
		return until
	}
	if until := leave(); !until.Equal(b.clock.Now().Add(account.Grace)) || v.signedIn() != "" {
		t.Errorf("the account is erased at %v, and its session is %q", until, v.signedIn())
	}
	if _, err := v.signIn("mara@example.org", good); !errors.Is(err, account.Disabled) {
		t.Errorf("the owner signs in, to keep the account: %v", err)
	}
	if err := b.Operator.SetUserState(t.Context(), flow.ByOperator, a.ID, account.Active); err != nil {
		t.Fatal(err)
	}
	b.clock.Advance(account.Grace)
	b.erase()
	v.must(v.signIn("mara@example.org", good))
	until := leave()
	b.clock.Advance(time.Hour)
	if again := leave(); again != until {
		t.Errorf("a second deletion puts the first one off until %v", again)
	}
	b.clock.Advance(account.Grace - time.Hour)
	b.erase()
	if _, err := b.Operator.Person(t.Context(), a.ID); !errors.Is(err, account.Missing) || b.record(audit.AccountDeleted).Actor != "operator" {
		t.Errorf("after the grace: %v, %+v", err, b.record(audit.AccountDeleted))
	}
}

// To delete and restore an account that waits for an approval does not approve it.
func TestRestoreUser_Waits(t *testing.T) {
	t.Parallel()
	b := setup(t, with(flow.ModeApproved))
	v := b.visitor("192.0.2.1")
	r := v.sends(flow.SignUp, "mara@example.org", good)
	v.must(b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, b.next().Data["code"]))
	id := b.user("mara@example.org").ID
	for range 2 {
		b.clock.Advance(time.Second)
		if _, err := b.Operator.ScheduleErasure(t.Context(), flow.ByOperator, id, "mara@example.org"); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		b.clock.Advance(time.Second)
		if err := b.Operator.RestoreUser(t.Context(), flow.ByOperator, id); err != nil {
			t.Fatal(err)
		}
		if a := b.user("mara@example.org"); a.State != account.Waiting {
			t.Errorf("the account is %s", a.State)
		}
	}
	b.clock.Advance(account.Grace)
	b.erase()
	if err := b.Operator.SetUserState(t.Context(), flow.ByOperator, id, account.Active); err != nil {
		t.Fatal(err)
	}
	b.record(audit.AccountApproved)
}

// A restored account is as before its deletion, also after a second deletion.
func TestRestoreUser(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for address, was := range map[string]account.State{"mara@example.org": account.Active, "kim@example.org": account.DisabledByOperator} {
		a, err := b.Operator.CreateUser(t.Context(), flow.ByOperator, address, "", good)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Operator.SetUserState(t.Context(), flow.ByOperator, a.ID, was); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			b.clock.Advance(time.Second)
			if _, err := b.Operator.ScheduleErasure(t.Context(), flow.ByOperator, a.ID, address); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			b.clock.Advance(time.Second)
			if err := b.Operator.RestoreUser(t.Context(), flow.ByOperator, a.ID); err != nil {
				t.Fatal(err)
			}
		}
		p, err := b.Operator.Person(t.Context(), a.ID)
		if err != nil || p.Account.State != was || !p.Leaves.EraseAt.IsZero() {
			t.Fatalf("%s is %s and is erased at %v, want %s: %v", address, p.Account.State, p.Leaves.EraseAt, was, err)
		}
		if want := map[account.State]audit.Name{account.Active: audit.AccountEnabled, account.DisabledByOperator: audit.AccountDisabled}[was]; p.Facts[0].Name != want || p.Facts[0].Detail != "restored" {
			t.Errorf("%s: the record says %s %q", address, p.Facts[0].Name, p.Facts[0].Detail)
		}
	}
}

// Undoing a deletion opens nothing that was not open, or that would not be open by now.
func TestRestoreUser_OpensNothing(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for name, test := range map[string]struct {
		before, after func(b *bundle, v *visitor, id string)
		want          account.State
	}{
		"its end has come": {before: func(b *bundle, _ *visitor, id string) {
			b.must(b.Operator.SetUserEnd(ctx, flow.ByOperator, id, b.clock.Now().Add(time.Hour)))
		}, want: account.DisabledByOperator},
		"its owner had closed it": {before: func(_ *bundle, v *visitor, _ string) { v.leaves() }, want: account.Leaving},
		"its owner had closed it, and its end has come": {before: func(b *bundle, v *visitor, id string) {
			b.must(b.Operator.SetUserEnd(ctx, flow.ByOperator, id, b.clock.Now().Add(time.Hour)))
			v.leaves()
		}, want: account.DisabledByOperator},
		"it was disabled then": {after: func(b *bundle, _ *visitor, id string) {
			b.must(b.Operator.SetUserState(ctx, flow.ByOperator, id, account.DisabledByOperator))
		}, want: account.DisabledByOperator},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, v := registered(t)
			id := v.found().User.ID
			if test.before != nil {
				test.before(b, v, id)
			}
			until, err := b.Operator.ScheduleErasure(ctx, flow.ByOperator, id, "mara@example.org")
			b.must(err)
			b.clock.Advance(time.Hour)
			b.closes()
			if test.after != nil {
				test.after(b, v, id)
			}
			b.must(b.Operator.RestoreUser(ctx, flow.ByOperator, id))
			p, err := b.Operator.Person(ctx, id)
			if err != nil || p.Account.State != test.want {
				t.Errorf("the account is %s, want %s: %v", p.Account.State, test.want, err)
			}
			if leaves := !p.Leaves.EraseAt.IsZero(); leaves != (test.want == account.Leaving) || leaves && !p.Leaves.EraseAt.Equal(until) {
				t.Errorf("it is erased at %v, and was to be at %v", p.Leaves.EraseAt, until)
			}
			if test.want == account.Leaving { // an admin may keep it, too
				b.must(b.Operator.RestoreUser(ctx, flow.ByOperator, id))
				v.must(v.signIn("mara@example.org", good))
			} else if _, err := v.signIn("mara@example.org", good); err == nil {
				t.Error("its owner gets in")
			}
		})
	}
}

// An account that waited for an approval before its deletion is not disabled either.
func TestSetUserState_ErasedWaits(t *testing.T) {
	t.Parallel()
	b := setup(t, with(flow.ModeApproved))
	b.applies("mara@example.org")
	id := b.user("mara@example.org").ID
	_, err := b.Operator.ScheduleErasure(t.Context(), flow.ByOperator, id, "mara@example.org")
	b.must(err)
	if err := b.Operator.SetUserState(t.Context(), flow.ByOperator, id, account.DisabledByOperator); !errors.Is(err, flow.Undecided) {
		t.Errorf("to disable it: %v", err)
	}
}

// A person was seen although a lock-out has ended every session.
func TestPerson_SeenAfterALockOut(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	id, at := v.found().User.ID, b.clock.Now()
	b.clock.Advance(time.Minute)
	if err := b.Operator.SetUserState(t.Context(), flow.ByOperator, id, account.DisabledByOperator); err != nil {
		t.Fatal(err)
	}
	p, err := b.Operator.Person(t.Context(), id)
	if err != nil || len(p.Sessions) > 0 || !p.SeenAt.Equal(at) {
		t.Errorf("seen at %v, want %v; sessions %v, %v", p.SeenAt, at, p.Sessions, err)
	}
}

// The link is in one email to the primary address. The address for recovery learns only that
// there is one. A new link ends the former one.
func TestMailLink(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner := b.visitor("192.0.2.1")
	owner.register("mara@example.org")
	owner.recovers("spare@example.org", 2)
	b.clock.Advance(72 * time.Hour) // until then it may raise no alarm
	mail := func() string {
		until, err := b.Operator.MailLink(t.Context(), flow.ByOperator, owner.found().User.ID)
		if err != nil || !until.After(b.clock.Now()) {
			t.Fatal(until, err)
		}
		mails := b.mails(2)
		m, other := mails["mara@example.org link-mailed"], mails["spare@example.org link-made"]
		u, err := url.Parse(m.Data["link"])
		if err != nil || u.Query().Get("token") == "" || m.Data["minutes"] != "15" {
			t.Fatalf("the emails are %+v: %v", mails, err)
		}
		if other.Data["alarm_link"] == "" || other.Data["link"] != "" || other.Data["code"] != "" {
			t.Errorf("the address for recovery gets %+v", other)
		}
		return u.Query().Get("token")
	}
	former, token := mail(), mail()
	v := b.visitor("192.0.2.2")
	if _, err := v.Flows.ConfirmLink(t.Context(), v.Caller, flow.LinkInput{Token: former}); !errors.Is(err, code.LinkUsed) {
		t.Errorf("the former link: %v", err)
	}
	r := v.must(v.Flows.ConfirmLink(t.Context(), v.Caller, flow.LinkInput{Token: token}))
	v.must(v.Flows.ResetPassword(t.Context(), v.Caller, flow.ResetInput{FlowID: r.FlowID, Password: another, Confirm: another}))
	if v.signedIn() != "mara@example.org" {
		t.Errorf("the link signs in %q", v.signedIn())
	}
}
