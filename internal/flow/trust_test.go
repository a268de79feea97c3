package flow_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/flow"
)

func trusting(c *flow.Config) { c.Trust = true }

// trusts signs in with a code in a new browser, and trusts it.
func (b *bundle) trusts(p phone) *visitor {
	b.Helper()
	v, r := b.asks("192.0.2.2")
	in := digits(p.secret.At(b.clock.Now()))
	in.Trust = true
	v.must(v.Flows.GiveFactor(b.Context(), v.Caller, r.FlowID, in))
	b.clock.Advance(time.Minute)
	if v.Trust == "" {
		b.Fatal("the browser got no trust cookie")
	}
	return v
}

// passes signs out and reports whether the next sign-in asks for no code. One of the
// passwords is right.
func (v *visitor) passes(passwords ...string) bool {
	v.Helper()
	if err := v.Flows.SignOut(v.Context(), v.Caller); err != nil {
		v.Fatal(err)
	}
	v.Caller.Session = ""
	for _, chosen := range passwords {
		r, err := v.signIn("mara@example.org", chosen)
		if !errors.Is(err, flow.Rejected) {
			return v.must(r, err).Session != nil
		}
	}
	v.Fatal("no password signs in")
	return false
}

// apps returns the ids of the authenticator apps of the visitor.
func (v *visitor) apps() (list []string) {
	v.Helper()
	have, err := v.Owner.Factors(v.Context(), v.found().User.ID)
	if err != nil {
		v.Fatal(err)
	}
	for _, each := range have.Factors {
		list = append(list, each.ID)
	}
	return list
}

// operates runs an operator's change of the account.
func (b *bundle) operates(change func(a account.Account) error) {
	b.Helper()
	a, err := b.Operator.User(b.Context(), "mara@example.org")
	if err == nil {
		err = change(a)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// trusted returns how many browsers the account trusts.
func (b *bundle) trusted() (n int) {
	b.operates(func(a account.Account) error {
		list, err := b.Owner.TrustedBrowsers(b.Context(), a.ID)
		n = len(list)
		return err
	})
	return n
}

// A browser is trusted with the session of the sign-in, also if that waits for more than the code.
func TestTrust_WaitsForTheSession(t *testing.T) {
	t.Parallel()
	b := setup(t, trusting)
	owner, p := b.enrolled()
	owner.leaves()
	v, r := b.asks("192.0.2.2")
	in := digits(p.secret.At(b.clock.Now()))
	in.Trust = true
	r = v.must(v.Flows.GiveFactor(t.Context(), v.Caller, r.FlowID, in))
	if n := b.counted(audit.BrowserTrusted); n != 0 || v.Trust != "" {
		t.Errorf("before the account is kept: %d records, and the cookie %q", n, v.Trust)
	}
	v.must(v.Flows.KeepAccount(t.Context(), v.Caller, r.FlowID))
	if n := b.counted(audit.BrowserTrusted); n != 1 || !v.passes(good) {
		t.Errorf("afterwards: %d records, and a code is asked for", n)
	}
}

func TestTrust_SignIn(t *testing.T) {
	t.Parallel()
	b := setup(t, trusting)
	owner, p := b.enrolled()
	v := b.trusts(p)
	told := b.mails(2) // in any order
	for _, want := range []string{"new-device", "browser-trusted"} {
		if _, ok := told["mara@example.org "+want]; !ok {
			t.Errorf("there is no email %s: %v", want, told)
		}
	}
	b.record(audit.BrowserTrusted)
	if !v.passes(good) {
		t.Fatal("a trusted browser is asked for a code")
	}
	found := v.found()
	if found.Session.Strong() || !slices.Equal(found.Session.Methods, []string{"password"}) {
		t.Errorf("the session counts %v, strong at %v", found.Session.Methods, found.Session.StrongAt)
	}
	if got := b.record(audit.SignedIn).Detail; got != "password,trusted_browser" {
		t.Errorf("the record has the detail %q", got)
	}
	if err := b.Owner.Fresh(t.Context(), found); !errors.Is(err, flow.ProofNeeded) {
		t.Errorf("the session may change the account: %v", err)
	}
	v.must(v.Flows.StepUp(t.Context(), v.Caller, flow.Target{}, digits(p.secret.At(b.clock.Now()))))
	if !v.found().Session.Strong() {
		t.Error("the step up does not count")
	}
	if owner.passes(good) {
		t.Error("another browser is trusted too")
	}
}

// A user who signs in again wants to prove more than the session does.
func TestTrust_NotForASignInAgain(t *testing.T) {
	t.Parallel()
	b := setup(t, trusting)
	_, p := b.enrolled()
	v := b.trusts(p)
	if r := v.must(v.signIn("mara@example.org", good)); r.Session != nil {
		t.Error("a new sign-in asks for no code")
	}
}

func TestTrust_NotByARecoveryCode(t *testing.T) {
	t.Parallel()
	b := setup(t, trusting)
	_, p := b.enrolled()
	v, r := b.asks("192.0.2.2")
	in := recovery(p.codes[0])
	in.Trust = true
	v.must(v.Flows.GiveFactor(t.Context(), v.Caller, r.FlowID, in))
	if v.Trust != "" {
		t.Error("a recovery code gives trust")
	}
}

func TestTrust_Off(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, p := b.enrolled()
	v, r := b.asks("192.0.2.2")
	in := digits(p.secret.At(b.clock.Now()))
	in.Trust = true
	v.must(v.Flows.GiveFactor(t.Context(), v.Caller, r.FlowID, in))
	if v.Trust != "" {
		t.Error("the browser is trusted")
	}
}

// Each change of a credential ends all trust, whoever makes it.
func TestTrust_EndsWithEachCredential(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(t *testing.T, b *bundle, v *visitor){
		"password": func(t *testing.T, b *bundle, v *visitor) {
			v.must(b.Owner.ChangePassword(t.Context(), v.Caller, v.found(), good+" more", good+" more"))
		},
		"password by the operator": func(t *testing.T, b *bundle, _ *visitor) {
			b.operates(func(a account.Account) error {
				return b.Operator.SetUserPassword(t.Context(), flow.ByOperator, a, good+" more")
			})
		},
		"second app": func(_ *testing.T, _ *bundle, v *visitor) { v.enrols() },
		"removed app": func(t *testing.T, b *bundle, v *visitor) {
			former := v.apps()
			v.enrols()
			if _, err := b.Owner.RemoveFactor(t.Context(), v.Caller, v.found(), former[0]); err != nil {
				t.Fatal(err)
			}
		},
		"new recovery codes": func(t *testing.T, b *bundle, v *visitor) {
			if _, err := b.Owner.MakeCodes(t.Context(), v.Caller, v.found(), flow.Target{}); err != nil {
				t.Fatal(err)
			}
		},
		"passkey": func(_ *testing.T, _ *bundle, v *visitor) { v.adds() },
		"app that is removed again": func(t *testing.T, b *bundle, v *visitor) {
			former := v.apps()
			v.enrols()
			for _, id := range v.apps() {
				if slices.Contains(former, id) {
					continue
				}
				if _, err := b.Owner.RemoveFactor(t.Context(), v.Caller, v.found(), id); err != nil {
					t.Fatal(err)
				}
			}
		},
		"passkey that is removed again": func(t *testing.T, b *bundle, v *visitor) {
			v.adds()
			have, err := b.Owner.Passkeys(t.Context(), v.found().User.ID)
			if err == nil {
				err = b.Owner.RemovePasskey(t.Context(), v.Caller, v.found(), have[0].ID)
			}
			if err != nil {
				t.Fatal(err)
			}
		},
		"provider": func(_ *testing.T, _ *bundle, v *visitor) { v.links("google") },
		"provider that is disconnected again": func(t *testing.T, b *bundle, v *visitor) {
			v.links("google")
			v.must(b.Owner.DisconnectProvider(t.Context(), v.Caller, v.found(), "google"))
		},
		"address": func(t *testing.T, b *bundle, _ *visitor) {
			b.operates(func(a account.Account) error {
				return errors.Join(b.Operator.SetUserAddress(t.Context(), flow.ByOperator, a.ID, "other@example.org"), b.Operator.SetUserAddress(t.Context(), flow.ByOperator, a.ID, "mara@example.org"))
			})
		},
		"closed account": func(t *testing.T, b *bundle, _ *visitor) {
			b.operates(func(a account.Account) error {
				return errors.Join(b.Operator.SetUserState(t.Context(), flow.ByOperator, a.ID, account.DisabledByOperator), b.Operator.SetUserState(t.Context(), flow.ByOperator, a.ID, account.Active))
			})
		},
		"by press": func(t *testing.T, b *bundle, v *visitor) {
			if err := b.Owner.EndTrust(t.Context(), v.Caller, v.found(), ""); err != nil {
				t.Fatal(err)
			}
			b.record(audit.TrustEnded)
		},
		"by the operator": func(t *testing.T, b *bundle, _ *visitor) {
			b.operates(func(a account.Account) error {
				n, err := b.Operator.EndUserTrust(t.Context(), flow.ByOperator, a.ID)
				if n != 1 {
					t.Errorf("%d ended", n)
				}
				return err
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, trusting, withPasskeys(t), withProvider(t))
			_, p := b.enrolled()
			v := b.trusts(p)
			if !v.passes(good) {
				t.Fatal("the browser is not trusted")
			}
			v.must(v.Flows.StepUp(t.Context(), v.Caller, flow.Target{}, digits(p.secret.At(b.clock.Now()))))
			b.clock.Advance(time.Minute)
			if n := b.trusted(); n != 1 {
				t.Fatalf("%d browsers are listed", n)
			}
			change(t, b, v)
			if n := b.trusted(); n != 0 || v.passes(good, good+" more") {
				t.Errorf("the browser is trusted still, %d are listed", n)
			}
		})
	}
}

// A sign-in that waits at the terms in a trusted browser asks for the code, if the trust has ended
// by the time the terms are accepted.
func TestTrust_EndsWhileASignInWaits(t *testing.T) {
	t.Parallel()
	b, change := withTerms(t, "", trusting)
	owner, p := b.enrolled()
	v := b.trusts(p)
	if !v.passes(good) {
		t.Fatal("the browser is not trusted")
	}
	if err := v.Flows.SignOut(t.Context(), v.Caller); err != nil {
		t.Fatal(err)
	}
	v.Caller.Session = ""
	change("1")
	held := v.held("mara@example.org")
	if err := b.Owner.EndTrust(t.Context(), owner.Caller, owner.found(), ""); err != nil {
		t.Fatal(err)
	}
	if r := v.accepts(held, "1"); r.Session != nil || r.Next != "/auth/mfa?flow="+r.FlowID {
		t.Errorf("after the trust has ended, the terms lead to %s", r.Next)
	}
}
