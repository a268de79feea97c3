package provider_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/internal/apptest"
)

const providersPage = "/auth/account/providers"

// connects submits the button of the account page and returns the provider's URL.
func connects(b *apptest.Browser) *url.URL {
	b.Helper()
	p := b.Send(providersPage+"/connect", url.Values{"account": {accountOf(b)}, "provider": {"example"}})
	u, found := goesTo(p)
	if p.StatusCode != 200 || !found {
		b.Fatalf("not sent away, but %d to %q: %s", p.StatusCode, p.Next(), p.Body)
	}
	return u
}

// accountOf returns the id of the signed-in account.
func accountOf(b *apptest.Browser) string {
	b.Helper()
	_, id, _ := strings.Cut(b.Open("/auth/api/session").Body, `"user":{"id":"`)
	id, _, _ = strings.Cut(id, `"`)
	return id
}

func TestConnect(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.Person("mara@example.org")
	b := s.Browser()
	b.SignIn("mara@example.org")
	session := b.Cookie("session")
	leads(b, b.Open(choose(b, connects(b), "sample-ada")), providersPage)
	if p := b.Open(providersPage); !strings.Contains(p.Body, "You can sign in with this provider now.") || !strings.Contains(p.Body, `"id":"example","name":"Example ID","since":{"at":"2026-05`) {
		t.Errorf("the page does not say that it is connected: %s", p.Body)
	}
	if b.Cookie("session") != session {
		t.Error("connecting has changed the session")
	}
	elsewhere := s.Browser()
	leads(elsewhere, elsewhere.Open(choose(elsewhere, leave(elsewhere, nil), "sample-ada")), "/auth/account")
	if accountOf(elsewhere) != accountOf(b) {
		t.Error("the provider signs in to another account")
	}

	again := b.Send(providersPage+"/connect", url.Values{"account": {accountOf(b)}, "provider": {"example"}})
	leads(b, again, providersPage+"?failed=provider.already_linked&provider=example")

	form := url.Values{"account": {accountOf(b)}, "provider": {"example"}}
	leads(b, b.Send(providersPage+"/disconnect", form), providersPage)
	if p := b.Open(providersPage); !strings.Contains(p.Body, `"id":"example","name":"Example ID","since":{"at":""`) || b.Cookie("session") == session {
		t.Error("it is still connected, or the session was not started again")
	}
	if p := elsewhere.Open("/auth/account"); p.StatusCode != 303 {
		t.Errorf("the session that the provider has started goes on: %d", p.StatusCode)
	}
}

func TestConnect_Refused(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.Person("mara@example.org")
	ada := s.Browser()
	ada.Open(choose(ada, leave(ada, nil), "sample-ada")) // makes an account
	form := url.Values{"account": {accountOf(ada)}, "provider": {"example"}}
	if p := ada.Send(providersPage+"/disconnect", form); p.StatusCode != 409 || !strings.Contains(p.Body, "account.last_way") {
		t.Errorf("the only way in is disconnected: %d", p.StatusCode)
	}

	b := s.Browser()
	b.SignIn("mara@example.org")
	cancelled := b.Open(choose(b, connects(b), "cancel")).Next()
	if !strings.HasPrefix(cancelled, providersPage+"?attempt=") || !strings.Contains(b.Open(cancelled).Body, "Nothing has changed.") {
		t.Errorf("after Cancel: %q", cancelled)
	}
	taken := b.Open(choose(b, connects(b), "sample-ada")).Next()
	if p := b.Open(taken); !strings.Contains(taken, "failed=provider.taken") || !strings.Contains(p.Body, "is connected to another account here") {
		t.Errorf("an identity of another account: %q", taken)
	}
	made := providersPage + "?failed=provider.taken&provider=example&attempt=0123456789abcdefghjkmnpqr0"
	if p := b.Open(made); strings.Contains(p.Body, "is connected to another account here") {
		t.Error("a link that anybody makes says something about an account")
	}

	old := choose(b, connects(b), "sample-alan")
	b.SignIn("mara@example.org") // another session of the same account
	if next := b.Open(old).Next(); !strings.Contains(next, "failed=flow.unknown") {
		t.Errorf("an attempt of an earlier session leads to %q", next)
	}
	s.Clock.Advance(11 * time.Minute)
	p := b.Send(providersPage+"/connect", url.Values{"account": {accountOf(b)}, "provider": {"example"}})
	if p.StatusCode != 401 || !strings.Contains(p.Body, `"again":"yes"`) {
		t.Errorf("with an old proof: %d", p.StatusCode)
	}
}

// An identity that waits for the owner of its address may get another account meanwhile. The owner signs in without it.
func TestConnect_WhatWaitsElsewhere(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.Person("ada@example.test")
	s.Person("mara@example.org")
	b, other := s.Browser(), s.Browser()
	waits := b.Open(choose(b, leave(b, nil), "sample-ada")).Next()
	_, id, _ := strings.Cut(waits, "flow=")
	other.SignIn("mara@example.org")
	leads(other, other.Open(choose(other, connects(other), "sample-ada")), providersPage)
	if p := b.Open(waits); strings.Contains(p.Body, "connect Example ID") {
		t.Errorf("the page still asks to connect it: %s", p.Body)
	}
	leads(b, b.Send("/auth/signin", url.Values{"email": {"ada@example.test"}, "password": {apptest.Password}, "flow": {id}}), "/auth/account")
	if p := b.Open(providersPage); !strings.Contains(p.Body, `"id":"example","name":"Example ID","since":{"at":""`) {
		t.Errorf("the account is connected: %s", p.Body)
	}
}
