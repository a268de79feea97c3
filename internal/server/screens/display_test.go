package screens_test

import (
	"net/url"
	"strings"
	"testing"

	"portico/internal/apptest"
)

// Owners of an international domain see their address as they write it. Other
// visitors with the link, apps and the mail server get ASCII.
func TestInternationalAddress(t *testing.T) {
	t.Parallel()
	const typed, canonical = "mara@bücher.example", "mara@xn--bcher-kva.example"
	s := apptest.Start(t)
	v := visit(s)
	p := v.Send("/auth/signup", url.Values{"email": {typed}, "password": {apptest.Password}, "confirm_password": {apptest.Password}})
	mail := s.NextMail()
	if mail.To != canonical {
		t.Errorf("the email goes to %s", mail.To)
	}
	if b := v.opens(p.Next()); b.Flow.Email != typed {
		t.Errorf("the code was sent to %q", b.Flow.Email)
	}
	elsewhere := visit(s)
	for who, want := range map[*visitor]string{&v: typed, &elsewhere: ""} {
		who.Open(mailedLink(s, mail))
		if b := who.opens("/auth/confirm-link"); b.Link.Email != want || b.Link.Address != "m•••@xn--bcher-kva.example" {
			t.Errorf("the link is of %q, masked %q; want %q", b.Link.Email, b.Link.Address, want)
		}
	}
	v.leads(v.Send("/auth/confirm-link", nil), "/auth/account")
	if b := v.opens("/auth/account"); b.Session.Email != typed {
		t.Errorf("signed in as %q", b.Session.Email)
	}
	if p := v.Open("/auth/api/session"); !strings.Contains(p.Body, `"email":"`+canonical+`"`) {
		t.Errorf("an app gets %s", p.Body)
	}
	if b := v.opens("/auth/reset-password?flow=" + proven(v, typed)); b.Session.Email != "" || b.Flow.Email != typed {
		t.Errorf("the same person is named as another: %q beside %q", b.Session.Email, b.Flow.Email)
	}
}

// proven takes the visitor to the form for a new password.
func proven(v visitor, email string) (flow string) {
	v.Helper()
	p := v.Send("/auth/forgot-password", url.Values{"email": {email}})
	_, flow, _ = strings.Cut(p.Next(), "flow=")
	v.leads(v.Send("/auth/verify-code", url.Values{"flow": {flow}, "code": {v.NextMail().Data["code"]}}), "/auth/reset-password?flow="+flow)
	return flow
}
