package flow_test

import (
	"testing"

	"portico/internal/account"
	"portico/internal/flow"
)

func TestHasAdmin(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a, err := b.Operator.CreateUser(t.Context(), flow.ByOperator, "mara@example.org", "", good, flow.RoleAdmin)
	if err != nil {
		t.Fatal(err)
	}
	has := func(want bool, when string) {
		t.Helper()
		if got, err := b.Operator.HasAdmin(t.Context()); err != nil || got != want {
			t.Errorf("%s: %v, %v", when, got, err)
		}
	}
	has(false, "the admin has no second factor")
	v := b.visitor("192.0.2.1")
	v.must(v.signIn("mara@example.org", good))
	v.enrols()
	has(true, "the admin has one")
	if err := b.Operator.SetUserState(t.Context(), flow.ByOperator, a.ID, account.DisabledByOperator); err != nil {
		t.Fatal(err)
	}
	has(false, "the admin is disabled")
}

// The first admin is made in an empty installation alone, and once.
func TestFirstAdmin(t *testing.T) {
	t.Parallel()
	b := setup(t)
	link, _, err := b.Operator.FirstAdmin(t.Context(), flow.ByOperator, "mara@example.org")
	if err != nil || link == "" {
		t.Fatal(link, err)
	}
	if a, err := b.Operator.User(t.Context(), "mara@example.org"); err != nil || len(a.Roles) != 1 || a.Roles[0] != flow.RoleAdmin {
		t.Errorf("the first admin is %+v, %v", a, err)
	}
	for _, address := range []string{"mara@example.org", "kim@example.org"} {
		if link, _, err := b.Operator.FirstAdmin(t.Context(), flow.ByOperator, address); err != nil || link != "" {
			t.Errorf("%s after it: %q, %v", address, link, err)
		}
	}
}
