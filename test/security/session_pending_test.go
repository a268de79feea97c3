package security

import (
	"testing"

	"portico/internal/flow"
	"portico/internal/passkey/passkeytest"
)

// Sign-ins, links and codes that began before the account is disabled or deleted lead to
// no session.
func TestSEC068_WhatHasBegunEndsWithTheAccount(t *testing.T) {
	announce(t)
	t.Parallel()
	for _, event := range []string{"disabled", "deleted"} {
		s := start(t, byCode)
		owner, p := s.protected()
		code, app := owner.openIDCode(), owner.rpTokens()
		waiting, second := p.pending()
		mailed := s.visitor()
		byMail := mailed.sendCode(p.address)
		digits := lastEmail(s, s.mail, p.address).code(t)
		link, _ := s.handed(p.address)
		key, keeper := s.passkeyOf(p)
		asked := keeper.ask()
		a, err := s.app.Operator.User(t.Context(), p.address)
		if err != nil {
			t.Fatal(err)
		}
		if event == "disabled" {
			s.disable(p.address)
		} else if err := s.app.Operator.DeleteUser(t.Context(), flow.ByOperator, a.ID); err != nil {
			t.Fatal(err)
		}
		if a := waiting.give(second, p.code()); a.status/100 != 4 || waiting.whoami() != "" {
			t.Errorf("%s: the second factor gets %d", event, a.status)
		}
		if a := mailed.verify(byMail, digits); a.status/100 != 4 || mailed.whoami() != "" {
			t.Errorf("%s: the code of a sign-in gets %d", event, a.status)
		}
		if a := keeper.enter(key.Use(asked)); a.status/100 != 4 || keeper.whoami() != "" {
			t.Errorf("%s: the passkey gets %d", event, a.status)
		}
		mailed.open(link)
		if a := mailed.post("confirm-link", object{}); a.status/100 != 4 {
			t.Errorf("%s: the operator's link gets %d", event, a.status)
		}
		s.refused(event+": a code of an app", s.rp("token", codeForm(code)), "invalid_grant")
		s.refused(event+": a refresh token", s.rp("token", refreshForm(app.Refresh)), "invalid_grant")
		if s.works(app.Access) {
			t.Errorf("%s: the access token works", event)
		}
	}
}

// passkeyOf adds a passkey to an account with a second factor, and returns it with
// another browser.
func (s *site) passkeyOf(p *phone) (*passkeytest.Authenticator, *visitor) {
	s.Helper()
	v, flow := p.pending()
	v.give(flow, p.code()).must(200)
	a, challenge := v.offered()
	v.add(a.Create(challenge)).must(200)
	return a, s.visitor()
}

// A thief has begun changes in a session of the account. A reset by its owner ends them.
func TestSEC067_AResetEndsWhatAThiefHasBegun(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	address, theirs := fresh("v"), fresh("thief")
	thief := s.visitor().register(address)
	app := thief.rpTokens()
	moving := thief.asks(theirs)
	digits := s.mail.code(theirs)
	adding := thief.post("factors/add", object{"account": thief.id()}).flow()
	secret := key(thief, thief.shown("/auth/account/factors?flow="+adding).Secret)
	a, challenge := thief.offered()
	owner := s.visitor()
	flow := owner.forgot(address)
	owner.verify(flow, lastCode(s, s.mail, address)).must(200)
	owner.reset(flow, other).must(200)
	for name, got := range map[string]*answer{
		"another address":   thief.verify(moving, digits),
		"an app":            thief.post("factors/confirm", object{"flow": adding, "code": secret.At(s.clock.Now())}),
		"a passkey":         thief.post("account/passkeys", creation(object{"account": flowID}, a.Create(challenge))),
		"another passkey":   thief.post("account/passkeys/begin", object{"account": flowID}),
		"another way there": thief.post("mfa", object{"flow": adding, "code": secret.At(s.clock.Now())}),
	} {
		if got.status < 400 || got.status >= 500 {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	if n := s.count(`SELECT (SELECT COUNT(*) FROM factor) + (SELECT COUNT(*) FROM passkey) + (SELECT COUNT(*) FROM other_address)`); n != 0 {
		t.Errorf("%d ways in were added", n)
	}
	s.refused("a refresh token", s.rp("token", refreshForm(app.Refresh)), "invalid_grant")
	if owner.whoami() != address || thief.whoami() != "" {
		t.Errorf("signed in: the owner as %q, the thief as %q", owner.whoami(), thief.whoami())
	}
}

// Tokens of the second steps and of apps open no session.
func TestSEC081_TokensOfLaterStepsAreNoSessions(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	_, p := s.protected()
	v := p.trusting()
	app, code := v.rpTokens(), v.openIDCode()
	waiting, flow := p.pending()
	link, _ := s.handed(p.address)
	for name, token := range map[string]string{
		"flow that waits": flow, "its browser": waiting.cookie("browser"), "trust": v.cookie("trust"), "access token": app.Access,
		"refresh token": app.Refresh, "id token": app.ID, "code of an app": code, "challenge": v.ask(), "operator's link": link, "recovery code": p.codes[0],
	} {
		if token == "" || s.with(token).whoami() != "" {
			t.Errorf("the %s opens a session, or there is none", name)
		}
		if a := s.with(token).get("/auth/account"); a.status != 303 {
			t.Errorf("with the %s the account gets %d", name, a.status)
		}
	}
}
