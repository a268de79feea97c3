package security

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/config"
	"portico/internal/store"
)

// withTerms makes users accept a version of the terms.
func withTerms(version string) option {
	return func(c *config.Config) {
		c.Legal.Terms, c.Legal.TermsVersion = "https://portico.test/terms", version
	}
}

// changeTerms restarts the site with another version.
func (s *site) changeTerms(version string) {
	s.Helper()
	withTerms(version)(&s.config)
	s.restart()
}

// accepted returns what an account has accepted. ok is false without an account.
func (s *site) accepted(address string) (terms account.Terms, ok bool) {
	s.Helper()
	a, err := s.app.Operator.User(s.Context(), address)
	return a.Terms, err == nil
}

// termsRecords returns the versions in the audit records of an account.
func (s *site) termsRecords(address string) (versions []string) {
	s.Helper()
	a, err := s.app.Operator.User(s.Context(), address)
	if err != nil {
		s.Fatal(err)
	}
	err = s.app.Store.Read(s.Context(), func(tx *store.Tx) error {
		facts, err := tx.FactsOf(s.Context(), a.ID, "", 100)
		for _, f := range facts {
			if f.Name == audit.TermsAccepted {
				versions = append(versions, f.Detail)
			}
		}
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	return versions
}

// forgeries are values of the box that do not accept the version 2.
func forgeries() []string {
	return []string{"", "1", "yes", "on", "true", "2 ", " 2", "02", "２", "*", strings.Repeat("2", 10_000)}
}

func TestSEC258_NoAccountWithoutTheTerms(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, true, withTerms("2"))

	v, address := s.visitor(), fresh("v")
	for _, box := range forgeries() {
		form := object{"email": address, "password": good, "confirm_password": good, "terms": box}
		if box == "" {
			delete(form, "terms")
		}
		if a := v.post("signup", form); a.status != 422 && a.status != 409 {
			t.Errorf("the box %.20q gets status %d", box, a.status)
		}
		fields := url.Values{"email": {address}, "password": {good}, "confirm_password": {good}, "terms": {box}}
		if a := v.form("/auth/signup", fields); a.status != 422 && a.status != 409 {
			t.Errorf("the form with %.20q gets status %d", box, a.status)
		}
	}
	more := object{"email": address, "password": good, "confirm_password": good, "terms": "1", "terms_version": "1", "accepted_at": 0}
	if a := v.post("signup", more); a.status != 400 && a.status != 422 {
		t.Errorf("fields of the server get status %d", a.status)
	}
	s.settle()
	if n := len(s.mail.to(address)); n != 0 {
		t.Errorf("the refused forms have sent %d emails", n)
	}

	flow := v.post("signup", object{"email": address, "password": good, "confirm_password": good, "terms": "2"}).flow()
	v.verify(flow, s.mail.next(address).code(t)).must(200)
	if got, ok := s.accepted(address); !ok || got.Version != "2" || !got.AcceptedAt.Equal(s.clock.Now()) || v.whoami() != address {
		t.Errorf("the account has accepted %v (%v)", got, ok)
	}

	// The provider vouches for the address, and still there is no account.
	theirs := fresh("v")
	p.says(object{"sub": theirs, "email": theirs, "email_verified": true})
	w := s.visitor()
	waiting, ok := strings.CutPrefix(w.continueWith(p), "/auth/terms?flow=")
	if _, made := s.accepted(theirs); !ok || made || w.whoami() != "" {
		t.Fatal("a sign-up by a provider makes an account before the terms are accepted")
	}
	for _, box := range forgeries() {
		if a := w.post("terms", object{"flow": waiting, "terms": box}); a.status != 422 && a.status != 409 {
			t.Errorf("at the provider's sign-up, the box %.20q gets status %d", box, a.status)
		}
	}
	if a := s.visitor().post("terms", object{"flow": waiting, "terms": "2"}); a.status != 404 {
		t.Errorf("another browser accepts with status %d", a.status)
	}
	if _, made := s.accepted(theirs); made || w.whoami() != "" {
		t.Fatal("a refused form has made an account")
	}
	w.post("terms", object{"flow": waiting, "terms": "2"}).must(200)
	if got, _ := s.accepted(theirs); got.Version != "2" || w.whoami() != theirs {
		t.Errorf("the account of the provider has accepted %v", got)
	}
	for _, each := range []string{address, theirs} {
		if got := s.termsRecords(each); len(got) != 1 || got[0] != "2" {
			t.Errorf("the record of %s has the versions %q", each, got)
		}
	}
}

func TestSEC259_AHeldSessionReachesNothing(t *testing.T) {
	announce(t)
	t.Parallel()
	behind := newApp(t, func(*http.Request) string { return "the app" })
	s := start(t, withTerms("1"), protects(behind), trusting())
	address := fresh("v")
	s.operator(address, good) // accounts of the operator have accepted nothing
	v := s.visitor()
	next := v.signIn(address, good).next()
	flow, ok := strings.CutPrefix(next, "/auth/terms?flow=")
	if !ok || v.cookie("session") != "" {
		t.Fatalf("the sign-in leads to %s", next)
	}
	v.reachesNothing(flow, "terms", behind)
	if got, _ := s.accepted(address); got.Version != "" {
		t.Errorf("the account has accepted %v", got)
	}
	if a := v.get("/auth/signin"); a.status != 303 || a.header.Get("Location") != next {
		t.Errorf("the sign-in page leads to %d %s", a.status, a.header.Get("Location"))
	}
	v.post("terms", object{"flow": flow, "terms": "1"}).must(200)
	if v.whoami() != address || v.get("/page").status != 200 {
		t.Error("after the terms the app is not reached")
	}
	if a := v.post("terms", object{"flow": flow, "terms": "1"}); a.status != 200 || len(s.termsRecords(address)) != 1 {
		t.Errorf("a second press gets status %d, and there are %d records", a.status, len(s.termsRecords(address)))
	}
}

// The order of the two steps: the terms are no way around the second factor.
func TestSEC259_TheFactorComesFirst(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	_, p := s.protected()
	s.changeTerms("1")
	v, flow := p.pending()
	if a := v.post("terms", object{"flow": flow, "terms": "1"}); a.status != 404 {
		t.Errorf("the step of the factor takes the terms with status %d", a.status)
	}
	next := v.give(flow, p.code()).next()
	held, ok := strings.CutPrefix(next, "/auth/terms?flow=")
	if !ok || v.whoami() != "" {
		t.Fatalf("the factor leads to %s", next)
	}
	s.changeTerms("2") // while the page is open
	if a := v.post("terms", object{"flow": held, "terms": "1"}); a.status != 409 || v.whoami() != "" {
		t.Errorf("the old version gets status %d", a.status)
	}
	v.post("terms", object{"flow": held, "terms": "2"}).must(200)
	if got, _ := s.accepted(p.address); v.whoami() != p.address || got.Version != "2" {
		t.Errorf("the account has accepted %v", got)
	}
}
