package flow_test

import (
	"errors"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/session"
)

// closes runs the background work.
func (b *bundle) closes() {
	b.Helper()
	b.must(b.store.Write(b.Context(), func(tx flow.Tx) error {
		due, err := tx.DueEnds(b.Context(), b.clock.Now(), 10)
		for _, id := range due {
			err = errors.Join(err, b.Operator.CloseEnded(b.Context(), tx, id))
		}
		return err
	}))
}

// From its end on, an account is closed to everything, before and after the background work.
func TestSetUserEnd(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	id, ctx := v.found().User.ID, t.Context()
	ends := func(at time.Time) {
		t.Helper()
		if err := b.Operator.SetUserEnd(ctx, flow.ByOperator, id, at); err != nil {
			t.Fatal(err)
		}
	}
	end := b.clock.Now().Add(time.Minute)
	ends(end)
	if f := b.record(audit.EndChanged); f.Actor != "operator" || f.Detail != end.Format(time.RFC3339) {
		t.Errorf("the record has %+v", f)
	}
	v.found()
	b.clock.Advance(time.Minute - time.Microsecond)
	v.found()
	b.closes()
	b.clock.Advance(time.Microsecond)
	refused := func(when string) {
		t.Helper()
		_, err := b.Flows.Session(ctx, v.Session)
		if f := fault.From(err); !errors.Is(err, session.Required) || f.Params["reason"] != string(session.Disabled) {
			t.Errorf("%s: the session: %v", when, err)
		}
		if _, err := b.visitor("192.0.2.2").signIn("mara@example.org", good); !errors.Is(err, account.Ended) {
			t.Errorf("%s: the password: %v", when, err)
		}
	}
	refused("at the end")
	b.closes()
	refused("after the background work")
	if f := b.record(audit.AccountDisabled); f.Actor != "operator" || f.Detail != "ended" {
		t.Errorf("the record has %+v", f)
	}
	if has, err := b.Operator.User(ctx, "mara@example.org"); err != nil || has.State != account.DisabledByOperator {
		t.Errorf("the account is %s, %v", has.State, err)
	}
	if err := b.Operator.SetUserState(ctx, flow.ByOperator, id, account.Active); err != nil {
		t.Fatal(err)
	}
	b.closes()
	if f := b.record(audit.EndChanged); f.Detail != "never" {
		t.Errorf("the record has %+v", f)
	}
	if a, err := b.Operator.User(ctx, "mara@example.org"); err != nil || !a.EndsAt.IsZero() || a.State != account.Active {
		t.Errorf("the account is enabled: %s, ends at %v, %v", a.State, a.EndsAt, err)
	}
	v.must(v.signIn("mara@example.org", good))
	ends(b.clock.Now().Add(time.Minute))
	ends(time.Time{})
	b.clock.Advance(time.Hour)
	b.closes()
	v.found()
	if f := b.record(audit.EndChanged); f.Detail != "never" {
		t.Errorf("the record has %+v", f)
	}
	if err := b.Operator.SetUserEnd(ctx, flow.ByOperator, id, b.clock.Now()); err == nil || fault.From(err).Fields[0].Code != account.CodeEndPast {
		t.Errorf("an end that is not in the future: %v", err)
	}
}
