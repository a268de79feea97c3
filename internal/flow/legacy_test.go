package flow_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/egress"
	"portico/internal/factor"
	"portico/internal/flow"
	"portico/internal/legacy"
	"portico/internal/password"
	"portico/internal/people"
)

const old = "the former one"

// formerly is a former system, which takes the password old of everybody.
type formerly struct {
	*legacy.Keeper
	asked  []string // addresses
	during func()   // runs while it answers
	pause  func()   // runs in place of the wait
	pauses atomic.Int32
}

// withFormer sets up a test with a former system.
func withFormer(t *testing.T, changes ...option) (*bundle, *formerly) {
	t.Helper()
	f := &formerly{during: func() {}, pause: func() {}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Data struct{ Email, Password string }
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
		}
		f.asked = append(f.asked, q.Data.Email)
		f.during()
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]bool{"right": q.Data.Password == old})
	}))
	t.Cleanup(server.Close)
	client, err := egress.New(egress.Config{Allow: []string{server.URL}, Timeout: legacy.Timeout})
	if err != nil {
		t.Fatal(err)
	}
	b := setup(t, append(changes, func(c *flow.Config) {
		f.Keeper = legacy.New(legacy.Config{
			URL: server.URL, Until: c.Clock.Now().Add(1000 * time.Hour), Client: client, Clock: c.Clock, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
			Pause: func(context.Context, time.Duration) { f.pauses.Add(1); f.pause() },
		}, nil)
		c.Legacy = f.Keeper
	})...)
	return b, f
}

// The first sign-in takes the password over. From then on nobody is asked.
func TestLegacy_FirstSignIn(t *testing.T) {
	t.Parallel()
	b, f := withFormer(t)
	b.arrives("Mara@example.org")
	if _, err := b.Operator.EndUserSessions(t.Context(), flow.ByOperator, b.user("mara@example.org").ID); err != nil { // there are none
		t.Fatal(err)
	}
	v := b.visitor("192.0.2.1")
	if _, err := v.signIn("mara@example.org", "a wrong one"); !errors.Is(err, flow.Rejected) {
		t.Errorf("a wrong password: %v", err)
	}
	if r := b.record(audit.SignInFailed); r.AccountID != b.user("mara@example.org").ID {
		t.Errorf("the record has %+v", r)
	}
	v.must(v.signIn("mara@example.org", old))
	if r := b.record(audit.AccountImported); r.Detail != "password" || r.Actor != "self" {
		t.Errorf("the record has %+v", r)
	}
	if a := b.user("mara@example.org"); a.Password == "" || a.Version != 1 || v.signedIn() == "" {
		t.Errorf("the account is %+v", a)
	}
	w := b.visitor("192.0.2.2")
	w.must(w.signIn("mara@example.org", old))
	if _, err := w.signIn("mara@example.org", "a wrong one"); !errors.Is(err, flow.Rejected) {
		t.Errorf("a wrong password later: %v", err)
	}
	if want := []string{"Mara@example.org", "Mara@example.org"}; !slices.Equal(f.asked, want) {
		t.Errorf("asked about %q, want %q", f.asked, want)
	}
}

// The word of the former system replaces the password alone: neither the second factor nor the proof of an address.
func TestLegacy_AsksForTheRest(t *testing.T) {
	t.Parallel()
	b, f := withFormer(t)
	b.brings(how(), people.Person{Email: "app@example.org", EmailVerified: true, TOTP: []people.TOTP{{Secret: seed}}}, people.Person{Email: "unproven@example.org"})
	v := b.visitor("192.0.2.1")
	r := v.must(v.signIn("app@example.org", old))
	if v.signedIn() != "" || b.user("app@example.org").Password == "" {
		t.Fatal("the second factor is not asked for, or the password was not kept")
	}
	v.must(v.signIn("app@example.org", old))
	s, _ := factor.ParseSecret(seed)
	v.must(v.Flows.GiveFactor(t.Context(), v.Caller, r.FlowID, flow.FactorInput{Code: s.At(b.clock.Now())}))
	if v.signedIn() == "" || len(f.asked) != 1 {
		t.Errorf("signed in: %q, asked about %q", v.signedIn(), f.asked)
	}
	w := b.visitor("192.0.2.2")
	proof := w.must(w.signIn("unproven@example.org", old))
	if w.signedIn() != "" {
		t.Fatal("an unproven address is signed in to")
	}
	w.must(w.Flows.VerifyCode(t.Context(), w.Caller, proof.FlowID, b.awaits("signin-code").Data["code"]))
	if w.signedIn() == "" {
		t.Error("the mailed code does not sign in")
	}
}

// SEC-413: nobody but the owner of an untouched account may be signed in by the word of the former system, which learns
// no other password. Each that it is not asked about waits as long.
func TestLegacy_NeverAsks(t *testing.T) {
	t.Parallel()
	const address = "mara@example.org"
	changed := func(change func(b *bundle, a account.Account) error) func(b *bundle) {
		return func(b *bundle) {
			b.arrives(address)
			if err := change(b, b.user(address)); err != nil {
				b.Fatal(err)
			}
		}
	}
	byCode := func(b *bundle) {
		b.arrives(address)
		v := b.visitor("192.0.2.9")
		r := v.must(v.Flows.SendCode(b.Context(), v.Caller, address, flow.Target{}))
		v.must(v.Flows.VerifyCode(b.Context(), v.Caller, r.FlowID, b.awaits("signin-code").Data["code"]))
	}
	for name, before := range map[string]func(b *bundle){
		"nobody":               func(*bundle) {},
		"signed up":            func(b *bundle) { b.visitor("192.0.2.9").register(address) },
		"made by the operator": func(b *bundle) { _, _ = b.Operator.CreateUser(b.Context(), flow.ByOperator, address, "", "") },
		"imported with a hash": func(b *bundle) {
			b.brings(how(), people.Person{Email: address, EmailVerified: true, Password: b.hash(good)})
		},
		"imported, disabled": func(b *bundle) {
			b.brings(how(), people.Person{Email: address, EmailVerified: true, State: "disabled"})
		},
		"signed in by a code": byCode,
		"a password was set": changed(func(b *bundle, a account.Account) error {
			return b.Operator.SetUserPassword(b.Context(), flow.ByOperator, a, good)
		}),
		"disabled": changed(func(b *bundle, a account.Account) error {
			return b.Operator.SetUserState(b.Context(), flow.ByOperator, a.ID, account.DisabledByOperator)
		}),
		"disabled and enabled": changed(func(b *bundle, a account.Account) error {
			return errors.Join(b.Operator.SetUserState(b.Context(), flow.ByOperator, a.ID, account.DisabledByOperator), b.Operator.SetUserState(b.Context(), flow.ByOperator, a.ID, account.Active))
		}),
		"deleted": changed(func(b *bundle, a account.Account) error {
			_, err := b.Operator.ScheduleErasure(b.Context(), flow.ByOperator, a.ID, a.Address.Mail)
			return err
		}),
		"another address": changed(func(b *bundle, a account.Account) error {
			return b.Operator.SetUserAddress(b.Context(), flow.ByOperator, a.ID, "new@example.org")
		}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, f := withFormer(t, func(c *flow.Config) { c.ByCode = true })
			before(b)
			v := b.visitor("192.0.2.1")
			for _, typed := range []string{address, "new@example.org"} {
				if _, err := v.signIn(typed, old); !errors.Is(err, flow.Rejected) {
					t.Errorf("%s: %v", typed, err)
				}
			}
			if len(f.asked) > 0 || f.pauses.Load() != 2 {
				t.Errorf("asked about %q, and waited %d times", f.asked, f.pauses.Load())
			}
		})
	}
}

// claims proves the mailbox of an imported account, and chooses no password.
func (b *bundle) claims(address string) {
	v := b.visitor("192.0.2.8")
	r := v.must(v.Flows.Recover(b.Context(), v.Caller, address, flow.Target{}))
	v.must(v.Flows.VerifyCode(b.Context(), v.Caller, r.FlowID, b.awaits("recover").Data["code"]))
}

// SEC-413: a stranger's password at the former system counts no more when the owner of the mailbox has come, also if it
// has signed in up to the mailbox before, and no import brings one.
func TestLegacy_TheOwnerHasCome(t *testing.T) {
	t.Parallel()
	for _, tried := range []int{0, 1} {
		b, f := withFormer(t)
		p, hash := people.Person{Email: "mara@example.org"}, b.hash(good)
		b.brings(how(), p)
		thief := b.visitor("192.0.2.9")
		for range tried {
			thief.must(thief.signIn(p.Email, old))
		}
		b.claims(p.Email)
		if _, err := thief.signIn(p.Email, old); !errors.Is(err, flow.Rejected) || len(f.asked) != tried {
			t.Errorf("after %d sign-ins: %v, asked about %q", tried, err, f.asked)
		}
		p.EmailVerified, p.Password = true, hash
		if b.brings(how(update), p); b.user(p.Email).Password != "" {
			t.Error("an import brings a password")
		}
	}
}

// SEC-416: the account and the setting are judged again when the former system has answered.
func TestLegacy_ChangesMeanwhile(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(b *bundle, f *formerly, a account.Account) error{
		"a password": func(b *bundle, _ *formerly, a account.Account) error {
			return b.Operator.SetUserPassword(b.Context(), flow.ByOperator, a, good)
		},
		"disabled": func(b *bundle, _ *formerly, a account.Account) error {
			return b.Operator.SetUserState(b.Context(), flow.ByOperator, a.ID, account.DisabledByOperator)
		},
		"deleted": func(b *bundle, _ *formerly, a account.Account) error {
			return b.Operator.DeleteUser(b.Context(), flow.ByOperator, a.ID)
		},
		"signed in": func(b *bundle, _ *formerly, a account.Account) error {
			return b.store.Write(b.Context(), func(tx flow.Tx) error { return tx.DeleteWelcome(b.Context(), a.ID) })
		},
		"the owner comes": func(b *bundle, _ *formerly, a account.Account) error {
			b.claims(a.Address.Mail)
			return nil
		},
		"a reload":            func(_ *bundle, f *formerly, _ account.Account) error { f.Stop(); return nil },
		"the end of the date": func(b *bundle, _ *formerly, _ account.Account) error { b.clock.Advance(1000 * time.Hour); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, f := withFormer(t)
			b.brings(how(), people.Person{Email: "mara@example.org"})
			a := b.user("mara@example.org")
			f.during = func() {
				if err := change(b, f, a); err != nil {
					t.Error(err)
				}
			}
			v := b.visitor("192.0.2.1")
			if _, err := v.signIn("mara@example.org", old); !errors.Is(err, flow.Rejected) || v.signedIn() != "" {
				t.Errorf("the sign-in ends with %v", err)
			}
			for _, r := range b.store.facts.all() {
				if r.Name == audit.AccountImported && r.Detail != "" {
					t.Error("the password was taken over")
				}
			}
		})
	}
}

// Too many at once are refused alike, whoever they are. A right password needs no place.
func TestLegacy_Places(t *testing.T) {
	t.Parallel()
	b, f := withFormer(t)
	b.arrives("mara@example.org")
	b.visitor("192.0.2.1").register("own@example.org")
	free, in := make(chan struct{}), make(chan struct{})
	f.pause = func() { in <- struct{}{}; <-free }
	var all sync.WaitGroup
	for i := range legacy.MostChecks {
		v := b.from(7, i+1)
		all.Go(func() { _, _ = v.signIn(fmt.Sprintf("nobody%d@example.org", i), old) })
		<-in
	}
	v := b.visitor("192.0.2.2")
	for _, address := range []string{"mara@example.org", "own@example.org", "nobody@example.org"} {
		if _, err := v.signIn(address, old); !errors.Is(err, password.Busy) {
			t.Errorf("%s: %v", address, err)
		}
	}
	v.must(v.signIn("own@example.org", good))
	close(free)
	all.Wait()
	if len(f.asked) > 0 {
		t.Errorf("asked about %q", f.asked)
	}
}

// A password that the limits refuse is asked about nowhere.
func TestLegacy_Limits(t *testing.T) {
	t.Parallel()
	b, f := withFormer(t)
	b.arrives("mara@example.org")
	v := b.visitor("192.0.2.1")
	for range 7 {
		_, _ = v.signIn("mara@example.org", "a wrong one")
	}
	if len(f.asked) != 5 {
		t.Errorf("asked %d times", len(f.asked))
	}
}
