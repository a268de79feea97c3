package security

import (
	"net/url"
	"strings"
	"testing"

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
		waiting, flow := p.pending()
		mailed := s.visitor()
		byMail := mailed.sendCode(p.address)
		digits := lastEmail(s, s.mail, p.address).code(t)
		link, _ := s.handed(p.address)
		key, keeper := s.passkeyOf(p)
		asked := keeper.ask()
		a, err := s.app.Flows.User(t.Context(), p.address)
		if err != nil {
			t.Fatal(err)
		}
		if event == "disabled" {
			s.disable(p.address)
		} else if err := s.app.Flows.DeleteUser(t.Context(), a.ID); err != nil {
			t.Fatal(err)
		}
		if a := waiting.give(flow, p.code()); a.status/100 != 4 || waiting.whoami() != "" {
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

// A user who has just given the strongest proof sends the ids of another user's passkeys
// and apps in bodies. They are missing, as made-up ids are.
func TestSEC164_ForeignIDsInBodies(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	victim, p := s.protected()
	theirs, _ := s.passkeyOf(p)
	var passkey string
	if err := s.database().QueryRow(`SELECT id FROM passkey`).Scan(&passkey); err != nil {
		t.Fatal(err)
	}
	victim.post("mfa", object{"code": p.code()})
	factor := victim.shown("/auth/account/factors").List[0].ID
	attacker, _ := s.holder()
	for path, ids := range map[string][]string{
		"account/passkeys/rename": {passkey, flowID}, "account/passkeys/remove": {passkey, flowID}, "factors/remove": {factor, flowID},
	} {
		answers := map[string]*answer{}
		for _, id := range ids {
			body := object{"account": attacker.id(), "id": id, "name": "mine"}
			if strings.HasSuffix(path, "remove") {
				delete(body, "name")
			}
			answers[id] = attacker.post(path, body).must(404)
		}
		alike(t, answers)
	}
	attacker.post("account/password", object{"account": victim.id(), "password": other, "confirm_password": other})
	attacker.form("/auth/account/browsers", url.Values{"account": {victim.id()}})
	s.in(theirs)
	if n := s.count(`SELECT COUNT(*) FROM factor`); n != 1 {
		t.Errorf("%d factors are left", n)
	}
	s.visitor().signIn(p.address, good).must(200)
}

// Two passkeys are the only ways in, and two browsers remove one each.
func TestSEC124_OneOfTwoPasskeysStays(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	for range rounds(2, 50) {
		owner, _ := s.holder()
		second, challenge := owner.offered()
		owner.add(second.Create(challenge)).must(200)
		owner.post("account/password/remove", object{"account": owner.id()}).must(200)
		id := owner.id()
		rows, err := s.database().Query(`SELECT id FROM passkey WHERE account_id = $1`, id)
		if err != nil {
			t.Fatal(err)
		}
		var held []string
		for rows.Next() {
			var one string
			if err := rows.Scan(&one); err != nil {
				t.Fatal(err)
			}
			held = append(held, one)
		}
		if err := rows.Err(); err != nil || len(held) != 2 {
			t.Fatalf("%d passkeys (%v)", len(held), err)
		}
		atOnce(2, func(i int) {
			if _, err := owner.tryAs(owner, "account/passkeys/remove", object{"account": id, "id": held[i]}); err != nil {
				t.Error(err)
			}
		})
		if n := s.count(`SELECT COUNT(*) FROM passkey WHERE account_id = $1`, id); n != 1 {
			t.Errorf("%d passkeys are left, want one", n)
		}
	}
}
