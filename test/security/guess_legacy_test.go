package security

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"portico/internal/account"
	"portico/internal/config"
	"portico/internal/flow"
)

// The former system signs in the people who came without a password, once, and learns nothing about others. Neither log nor
// database has the password or the secret.
func TestSEC413_LegacyIsAskedOnce(t *testing.T) {
	announce(t)
	t.Parallel()
	secret := ""
	s, f := startFormer(t, func(c *config.Config) { secret = c.SignIn.LegacySecret })
	mara, own := s.arrives("mara"), fresh("own")
	s.operator(own, good)
	for range 2 {
		if a := s.visitor().signIn(mara, formerPassword); a.status != 200 {
			t.Fatalf("the former password: %d %s", a.status, a.body)
		}
	}
	s.visitor().signIn(own, formerPassword).refused(401, "signin.rejected")
	s.visitor().signIn(fresh("nobody"), formerPassword).refused(401, "signin.rejected")
	if about := f.about(); len(about) != 1 || about[0] != mara {
		t.Errorf("it was asked about %q", about)
	}
	for _, hidden := range []string{formerPassword, secret} {
		if strings.Contains(s.log.String(), hidden) {
			t.Errorf("the log has %q", hidden)
		}
	}
	if hash := s.strings(s.database(), `SELECT password FROM account WHERE password > ''`); strings.Contains(strings.Join(hash, " "), formerPassword) {
		t.Error("the database has the password")
	}
}

// A former system that an attacker has taken over, or an address that leads elsewhere, makes Portico neither send a
// password to another place nor wait for ever, nor let anybody in by an answer of another form.
func TestSEC415_HostileLegacy(t *testing.T) {
	announce(t)
	t.Parallel()
	var reached atomic.Int32
	inside := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(inside.Close)
	s, f := startFormer(t, asItIs)
	says := func(kind, text string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, text)
			return true
		}
	}
	for _, answer := range []func(http.ResponseWriter, *http.Request) bool{
		says("text/html", `{"right": true}`),
		says("application/json", `{"right": 1}`),
		says("application/json", `{"right": true, "x": "`+strings.Repeat("x", 1<<16)+`"}`),
		func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, inside.URL, http.StatusPermanentRedirect)
			return true
		},
		func(_ http.ResponseWriter, r *http.Request) bool { <-r.Context().Done(); return true },
	} {
		f.during = answer
		s.visitor().signIn(s.arrives("mara"), formerPassword).refused(401, "signin.rejected")
	}
	private, _ := startFormer(t, func(c *config.Config) { c.SignIn.Legacy, c.SignIn.LegacyPrivate = inside.URL, false })
	private.visitor().signIn(private.arrives("mara"), formerPassword).refused(401, "signin.rejected")
	if !strings.Contains(private.log.String(), "not a public address") || reached.Load() != 0 {
		t.Errorf("the server inside was asked %d times, and the log has %s", reached.Load(), private.log.String())
	}
}

// An account that is closed or gets a password while the former system answers is not signed in to by the answer.
func TestSEC416_ChangesWhileLegacyAnswers(t *testing.T) {
	announce(t)
	t.Parallel()
	s, f := startFormer(t, asItIs)
	for name, change := range map[string]func(a account.Account) error{
		"disabled": func(a account.Account) error {
			return s.app.Operator.SetUserState(s.Context(), flow.ByOperator, a.ID, account.DisabledByOperator)
		},
		"a password": func(a account.Account) error {
			return s.app.Operator.SetUserPassword(s.Context(), flow.ByOperator, a, good)
		},
		"deleted": func(a account.Account) error { return s.app.Operator.DeleteUser(s.Context(), flow.ByOperator, a.ID) },
	} {
		mara := s.arrives("mara")
		a, err := s.app.Operator.User(s.Context(), mara)
		if err != nil {
			t.Fatal(err)
		}
		f.during = func(http.ResponseWriter, *http.Request) bool {
			if err := change(a); err != nil {
				t.Error(err)
			}
			return false
		}
		v := s.visitor()
		if v.signIn(mara, formerPassword).refused(401, "signin.rejected"); v.cookie("session") != "" {
			t.Errorf("%s: there is a session", name)
		}
	}
}
