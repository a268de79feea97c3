package audit_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"portico/internal/audit"
	"portico/internal/clock"
	"portico/internal/ids"
)

// kept is a store that returns what it was given. The tests of the store cover
// the database.
type kept struct {
	audit.Store // for the methods that no test here calls
	facts       []audit.Fact
	err         error
}

func (k *kept) InsertFact(_ context.Context, all ...audit.Fact) error {
	k.facts = append(k.facts, all...)
	return k.err
}

func TestAdd(t *testing.T) {
	t.Parallel()
	now := clock.NewManual(time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC))
	record, store := audit.NewRecord(now), &kept{}
	given := audit.Fact{ID: "mine", At: time.Unix(1, 0), Name: audit.SignedIn, AccountID: "a", Actor: "self", Peer: "p", UserAgent: "b", RequestID: "r", Detail: "d"}
	for range 2 {
		if err := record.Add(t.Context(), store, given); err != nil {
			t.Fatal(err)
		}
	}
	first, second := store.facts[0], store.facts[1]
	if !ids.Valid(first.ID) || first.ID == second.ID || !first.At.Equal(now.Now()) {
		t.Errorf("the facts have the ids %s and %s and the time %v; neither is the caller's to choose", first.ID, second.ID, first.At)
	}
	if first.ID, first.At = given.ID, given.At; first != given {
		t.Errorf("the fact is %+v, want %+v", first, given)
	}
}

// A step whose audit record cannot be written must fail.
func TestAdd_Fails(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is full")
	if err := audit.NewRecord(clock.System{}).Add(t.Context(), &kept{err: broken}, audit.Fact{}); !errors.Is(err, broken) {
		t.Errorf("the error is %v, want %v", err, broken)
	}
}
