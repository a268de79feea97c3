package flow_test

import (
	"testing"

	"portico/internal/flow"
	"portico/internal/session"
)

// A session that another node has just ended can be signed out of.
func TestSignOut_HasJustEnded(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	found := v.found() // kept in memory from here on
	if err := b.store.Write(t.Context(), func(tx flow.Tx) error {
		_, err := tx.DeleteSession(t.Context(), found.User.ID, found.Session.ID, session.Left)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if v.signedIn() == "" {
		t.Fatal("this node asks the database about each request")
	}
	if err := b.Flows.SignOut(t.Context(), v.Caller); err != nil {
		t.Error(err)
	}
}
