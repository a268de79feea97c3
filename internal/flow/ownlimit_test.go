package flow_test

import (
	"errors"
	"testing"
	"time"

	"portico/internal/audit"
	"portico/internal/flow"
	"portico/internal/throttle"
)

// SEC-438: what a user does again and again stops at a limit, for this account alone and for a day.
func TestOwn_ChangesAreLimited(t *testing.T) {
	t.Parallel()
	b := setup(t, withPasskeys(t))
	v, other := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	v.register("mara@example.org")
	other.register("nils@example.org")
	a := v.adds()
	keys, err := b.Owner.Passkeys(t.Context(), v.found().User.ID)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"Mara", "Mara Lind"}
	profile := func(v *visitor, name, locale string) error {
		_, _, err := b.Owner.ChangeProfile(t.Context(), v.Caller, v.found(), flow.Profile{Name: name, Locale: locale}, []string{"en", "de"})
		return err
	}
	for what, change := range map[string]struct {
		do  func(n int) error
		max int
	}{
		"names": {func(n int) error { return profile(v, names[n%2], "en") }, 20},
		"names of passkeys": {func(n int) error {
			return b.Owner.RenamePasskey(t.Context(), v.Caller, v.found(), keys[0].ID, names[n%2])
		}, 98}, // two have added it
	} {
		n := 0
		for err = nil; err == nil && n <= change.max; n++ {
			err = change.do(n)
		}
		if n != change.max+1 || !errors.Is(err, throttle.Limited(0)) {
			t.Errorf("%s: %d changes, then %v", what, n, err)
		}
	}
	if err := profile(v, names[1], "en"); err != nil {
		t.Errorf("the name that it has: %v", err)
	}
	if err := profile(v, names[1], "de"); !errors.Is(err, throttle.Limited(0)) {
		t.Errorf("another language: %v", err)
	}
	v.Caller.Locale = "de"
	if err := b.Flows.ChooseLocale(t.Context(), v.Caller); err != nil || b.user("mara@example.org").Locale != "en" {
		t.Errorf("the menu: %v", err)
	}
	if err := profile(other, names[0], "de"); err != nil {
		t.Errorf("another user: %v", err)
	}
	// Whoever has used the changes up may be a thief. The owner of the mailbox has them again.
	owner := b.visitor("192.0.2.3")
	r := owner.must(b.Flows.Recover(t.Context(), owner.Caller, "mara@example.org", flow.Target{}))
	m := b.next()
	for ; m.Template != "recover"; m = b.next() {
	}
	owner.must(b.Flows.VerifyCode(t.Context(), owner.Caller, r.FlowID, m.Data["code"]))
	owner.must(b.Flows.ResetPassword(t.Context(), owner.Caller, flow.ResetInput{FlowID: r.FlowID, Password: another, Confirm: another}))
	v.must(v.uses(a))
	if err := b.Owner.RenamePasskey(t.Context(), v.Caller, v.found(), keys[0].ID, "Mine"); err != nil {
		t.Errorf("after a recovery: %v", err)
	}
	b.clock.Advance(24 * time.Hour)
	v.must(v.uses(a))
	if err := errors.Join(profile(v, names[0], "de"), b.Owner.RenamePasskey(t.Context(), v.Caller, v.found(), keys[0].ID, "Mara")); err != nil {
		t.Errorf("on the next day: %v", err)
	}
}

// SEC-438: ending sessions always works. The emails about it stop at a limit.
func TestOwn_EndsAreNotRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v, other := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	v.register("mara@example.org")
	for range 21 {
		other.must(other.signIn("mara@example.org", good))
		b.must(b.Owner.EndOtherSessions(t.Context(), v.Caller, v.found()))
		if other.signedIn() != "" {
			t.Fatal("a session goes on")
		}
	}
	ends, told := 0, 0
	for _, f := range b.store.facts.all() {
		if f.Name == audit.SessionEnded {
			ends++
		}
	}
	if _, _, err := b.Owner.ChangeProfile(t.Context(), v.Caller, v.found(), flow.Profile{Name: "Mara"}, nil); err != nil {
		t.Fatal(err)
	}
	for m := b.next(); m.Template != "name-changed"; m = b.next() {
		if m.Template == "account-changed" {
			told++
		}
	}
	if ends != 21 || told != 20 {
		t.Errorf("%d ends, %d emails", ends, told)
	}
}
