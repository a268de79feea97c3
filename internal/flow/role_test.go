package flow_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/session"
	"portico/internal/store"
)

// SEC-071: the next use of a session has the new roles, in this process and in
// another one that knew the old ones.
func TestSetUserRoles(t *testing.T) {
	t.Parallel()
	var far *session.Keeper
	b := setup(t, func(c *flow.Config) {
		far = session.NewKeeper(session.Config{Clock: c.Clock, Idle: time.Hour, Absolute: time.Hour, CacheMax: 10})
	})
	a, err := b.Operator.CreateUser(t.Context(), flow.ByOperator, "mara@example.org", "", good, "editor", "admin", "editor")
	if err != nil || !slices.Equal(a.Roles, []string{"admin", "editor"}) {
		t.Fatalf("created with %v (%v), want admin and editor once", a.Roles, err)
	}
	v := b.visitor("192.0.2.1")
	v.must(v.signIn("mara@example.org", good))
	roles := func() (here, there []string) {
		found := v.found()
		err = b.store.Store.Read(t.Context(), func(tx *store.Tx) error {
			if _, err := far.Follow(t.Context(), tx); err != nil {
				return err
			}
			other, err := far.Check(t.Context(), tx, v.Caller.Session)
			there = other.User.Roles
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return found.User.Roles, there
	}
	for _, want := range [][]string{{"admin", "editor"}, {"viewer"}, {}} {
		if err := b.Operator.SetUserRoles(t.Context(), flow.ByOperator, a.ID, want); err != nil {
			t.Fatal(err)
		}
		if here, there := roles(); !slices.Equal(here, want) || !slices.Equal(there, want) {
			t.Errorf("the roles are %v here and %v elsewhere, want %v", here, there, want)
		}
	}
}

func TestSetUserRoles_Refuses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	many := make([]string, 33)
	for i := range many {
		many[i] = "r" + strings.Repeat("x", i)
	}
	for _, roles := range [][]string{{"users,admins"}, {"admins;x"}, {""}, {"Admin"}, {"a b"}, many} {
		if err := b.Operator.SetUserRoles(t.Context(), flow.ByOperator, "id", roles); !errors.Is(err, fault.InvalidFields()) || fault.From(err).Fields[0].Code != flow.CodeRoleInvalid {
			t.Errorf("%q: %v, want the field role refused", roles, err)
		}
		if _, err := b.Operator.CreateUser(t.Context(), flow.ByOperator, "eve@example.org", "", good, roles...); fault.From(err).Fields == nil {
			t.Errorf("an account with %q: %v", roles, err)
		}
	}
	if err := b.Operator.SetUserRoles(t.Context(), flow.ByOperator, "nobody", nil); !errors.Is(err, account.Missing) {
		t.Errorf("nobody: %v, want %v", err, account.Missing)
	}
}
