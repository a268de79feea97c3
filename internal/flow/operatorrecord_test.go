package flow_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"portico/internal/apikey"
	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/ids"
)

// exported is a Writer that counts the records, and the pages that were sent.
type exported struct {
	facts, pages int
	sent         func() // after each page
}

func (e *exported) Write(audit.Fact, string, string) error { e.facts++; return nil }

func (e *exported) Flush() error { e.pages++; e.sent(); return nil }

// SEC-380: who is no longer an admin, or whose key has ended, gets no further page of an export that runs.
func TestExportRecord_Judged(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	b := setup(t)
	owner, k, secret := b.administers(apikey.DefaultLife)
	b.must(b.store.Write(ctx, func(tx flow.Tx) (err error) {
		for range 3 * audit.MostFacts {
			err = errors.Join(err, tx.InsertFact(ctx, audit.Fact{ID: ids.NewAt(b.clock.Now()), Name: audit.SignedOut, At: b.clock.Now()}))
		}
		return err
	}))
	v := b.visitor("192.0.2.1")
	v.must(v.signIn("mara@example.org", good))
	program, err := b.Operator.ByKey(ctx, flow.Caller{}, secret)
	b.must(err)
	admin := flow.ByAdmin(v.Caller, v.found())
	all := func(by flow.Actor, after func()) (int, error) {
		e := &exported{}
		e.sent = func() {
			if e.pages == 1 {
				after()
			}
		}
		err := b.Operator.ExportRecord(ctx, by, audit.Query{}, e)
		return e.facts, err
	}
	if n, err := all(admin, func() {
		var held *fault.Error
		if _, err := all(admin, func() {}); !errors.As(err, &held) || held.RetryAfter != 10*time.Second {
			t.Errorf("a second export: %v", err)
		}
		if n, err := all(program, func() {}); n < 3*audit.MostFacts || err != nil {
			t.Errorf("that of another actor: %d, %v", n, err)
		}
	}); n < 3*audit.MostFacts || err != nil {
		t.Errorf("an export has %d, %v", n, err)
	}
	if n, err := all(program, func() { b.must(b.Operator.EndAPIKey(ctx, flow.ByOperator, k.ID, false)) }); n != audit.MostFacts || !errors.Is(err, apikey.Unknown) {
		t.Errorf("with a key that has ended: %d, %v", n, err)
	}
	if n, err := all(admin, func() { b.must(b.Operator.SetUserRoles(ctx, flow.ByOperator, owner, nil)) }); n != audit.MostFacts || !errors.Is(err, flow.ErrNotAdmin) {
		t.Errorf("without the role: %d, %v", n, err)
	}
}

// The page of a person says that the record has older events.
func TestPerson_MoreEvents(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	id := v.found().User.ID
	for _, more := range []bool{false, true} {
		p, err := b.Operator.Person(t.Context(), id)
		if err != nil || p.MoreFacts != more || more && len(p.Facts) != 500 {
			t.Errorf("more than %d events: %v, want %v: %v", len(p.Facts), p.MoreFacts, more, err)
		}
		b.must(b.store.Write(t.Context(), func(tx flow.Tx) (err error) {
			for range 500 {
				err = errors.Join(err, tx.InsertFact(t.Context(), audit.Fact{ID: ids.NewAt(b.clock.Now()), Name: audit.SignedOut, AccountID: id, At: b.clock.Now()}))
			}
			return err
		}))
	}
}

// Each signing key has one record: the first, the one of the next month, and the one in place of a revoked key.
func TestRecord_SigningKeys(t *testing.T) {
	t.Parallel()
	n := twoNodes(t)
	for range 2 {
		n.clock.Advance(30 * 24 * time.Hour)
		n.bundle.must(n.Operator.FollowKeys(t.Context()))
		n.bundle.must(n.other.Operator.FollowKeys(t.Context()))
	}
	keys, err := n.Operator.SigningKeys(t.Context())
	n.bundle.must(err)
	n.bundle.must(n.Operator.RevokeKey(t.Context(), flow.ByOperator, keys[0].ID))
	keys, err = n.Operator.SigningKeys(t.Context())
	n.bundle.must(err)
	var recorded, made []string
	for _, f := range n.store.facts.all() {
		if f.Name == audit.KeyRotated {
			recorded = append(recorded, f.Actor+" "+f.Detail)
		}
	}
	for _, k := range keys {
		made = append(made, "operator "+k.ID)
	}
	if len(made) != 3 || !slices.Equal(recorded, made) {
		t.Errorf("recorded %q, want %q", recorded, made)
	}
}
