package flow_test

import (
	"errors"
	"net/url"
	"sync"
	"sync/atomic"
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

// Whenever the process is killed, its next start prints the link if this one has not.
func TestFirstAdmin_Killed(t *testing.T) {
	t.Parallel()
	for at := range int64(3) {
		m := &mortal{}
		b := setup(t, func(c *flow.Config) { m.Store, c.Store = c.Store, m })
		m.left.Store(at)
		link, _, err := b.Operator.FirstAdmin(t.Context(), flow.ByOperator, "mara@example.org")
		if errors.Is(err, errKilled) {
			link, _, err = b.Operator.FirstAdmin(t.Context(), flow.ByOperator, "mara@example.org")
		}
		if err != nil || link == "" {
			t.Errorf("killed at write %d: %q, %v", at, link, err)
		}
	}
}

// Nobody becomes the first admin after somebody has signed up.
func TestFirstAdmin_AfterASignUp(t *testing.T) {
	t.Parallel()
	m := &mortal{}
	b := setup(t, func(c *flow.Config) { m.Store, c.Store = c.Store, m })
	m.does = func() { b.visitor("192.0.2.1").register("kim@example.org") }
	m.left.Store(1)
	if link, _, err := b.Operator.FirstAdmin(t.Context(), flow.ByOperator, "mara@example.org"); err != nil || link != "" || b.hasAccount("mara@example.org") {
		t.Errorf("%q, %v", link, err)
	}
}

// Two nodes start at once, and many browsers open the link at once: one admin with one way in.
func TestFirstAdmin_AtOnce(t *testing.T) {
	t.Parallel()
	var far flow.Config
	b := setup(t, func(c *flow.Config) { far = *c })
	nodes := []*flow.Operator{b.Operator, flow.New(far).Operator}
	var all sync.WaitGroup
	links := make([]string, 8)
	for i := range links {
		all.Go(func() {
			link, _, err := nodes[i%2].FirstAdmin(t.Context(), flow.ByOperator, "mara@example.org")
			if err != nil {
				t.Error(err)
			}
			links[i] = link
		})
	}
	all.Wait()
	var made []string
	for _, link := range links {
		if link != "" {
			made = append(made, link)
		}
	}
	people, err := b.Operator.People(t.Context(), account.Query{Limit: 9})
	if err != nil || len(people.People) != 1 || len(made) != 1 {
		t.Fatalf("%d people and %d links, %v", len(people.People), len(made), err)
	}
	u, err := url.Parse(made[0])
	if err != nil {
		t.Fatal(err)
	}
	var opened atomic.Int64
	for range 8 {
		v := b.visitor("192.0.2.1")
		all.Go(func() {
			if _, err := b.Flows.ConfirmLink(t.Context(), v.Caller, flow.LinkInput{Token: u.Query().Get("token")}); err == nil {
				opened.Add(1)
			}
		})
	}
	all.Wait()
	if opened.Load() != 1 {
		t.Errorf("the link was opened %d times", opened.Load())
	}
}
