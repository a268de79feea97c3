package security

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/internal/config"
)

// A session whose proof is old may end the other sessions. It must not end what the owner needs
// to get rid of it: a waiting second step, a recovery, and the operator's link.
func TestSEC337_AnOldSessionKeepsNobodyOut(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	owner, phone := s.protected()
	address := owner.whoami()
	thief := s.with(owner.cookie("session"))
	s.clock.Advance(24 * time.Hour)
	ends := func() { thief.do("DELETE", "/auth/api/sessions", "", thief.ours("")).must(204) }
	me := s.visitor()
	flow := me.signIn(address, good).must(200).flow()
	ends()
	me.give(flow, phone.code()).must(200)
	ends()
	flow = me.forgot(address)
	code := s.mail.code(address)
	ends()
	me.verify(flow, code).must(200)
	ends()
	me.reset(flow, other).must(200)
	if thief.whoami() != "" {
		t.Error("the thief is still signed in after the recovery")
	}
	// With a fresh proof, a recovery goes on, and a waiting sign-in of somebody else ends.
	rival, waits := phone.pendingWith(other)
	s.clock.Advance(time.Minute)
	flow = me.signIn(address, other).must(200).flow()
	me.give(flow, phone.code()).must(200)
	recovers := s.visitor()
	reset := recovers.forgot(address)
	code = s.mail.code(address)
	me.do("DELETE", "/auth/api/sessions", "", me.ours("")).must(204)
	s.clock.Advance(time.Minute)
	rival.give(waits, phone.code()).refused(404, "flow.unknown")
	recovers.verify(reset, code).must(200)
}

// pendingWith is pending with another password.
func (p *phone) pendingWith(password string) (*visitor, string) {
	p.Helper()
	v := p.visitor()
	return v, v.signIn(p.address, password).must(200).flow()
}

// A factor at another provider is none of the account, so it joins nothing.
func TestSEC338_AForeignFactorJoinsNothing(t *testing.T) {
	announce(t)
	t.Parallel()
	p, q := newIDP(t), newIDP(t)
	s := start(t, p.at("acme", true), q.at("other", true), func(c *config.Config) { c.Providers[0].MFAAMR = []string{"mfa"} })
	p.site, q.site = s, s
	address, sub := fresh("v"), fresh("s")
	v := s.visitor().register(address)
	v.callback("acme", p.says(object{"sub": sub, "email": fresh("e"), "email_verified": true}).approve(v.connects())).must(303)
	made, challenge := v.offered()
	v.add(made.Create(challenge)).must(200)
	thief := s.visitor()
	theirs := q.says(object{"sub": fresh("t"), "email": address, "email_verified": true}).approve(thief.leave("other", nil))
	flow := joinFlow(t, thief.callback("other", theirs).must(303).header.Get("Location"))
	for _, amr := range [][]string{nil, {"mfa"}} {
		who := object{"sub": sub, "email": fresh("e"), "email_verified": true, "amr": amr, "auth_time": s.clock.Now().Unix()}
		to := thief.callback("acme", p.says(who).approve(thief.leave("acme", url.Values{"flow": {flow}}))).must(303).header.Get("Location")
		if !strings.HasPrefix(to, "/auth/mfa?flow=") || s.identities() != 1 {
			t.Errorf("with %q the sign-in leads to %s, with %d identities", amr, to, s.identities())
		}
	}
}

// The id of a flow must not tell that its address has an account by now, or that the account has
// changed.
func TestSEC339_TheFlowTellsOfNoAccount(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, byCode)
	address, stranger := fresh("v"), s.visitor()
	begins := func(operation string) string {
		if operation == "signup" {
			return stranger.signUp(address, good)
		}
		return stranger.post(operation, object{"email": address}).flow()
	}
	signUp := begins("signup")
	s.mail.code(address)
	recovery := begins("forgot-password")
	s.mail.next(address) // that there is no account
	s.clock.Advance(time.Hour - time.Minute)
	owner := s.visitor().register(address)
	if begins("signup") != signUp || begins("forgot-password") != recovery {
		t.Error("the flow is another one after somebody has signed up")
	}
	s.mail.code(address) // of the recovery
	s.clock.Advance(time.Hour - 2*time.Minute)
	byMail := begins("signin-code")
	early := s.mail.code(address)
	owner.signIn(address, good).must(200)
	owner.enrol()
	owner.post("account/password", object{"account": owner.id(), "password": other, "confirm_password": other}).must(200)
	if begins("signin-code") != byMail {
		t.Error("the flow is another one after a change of the account")
	}
	stranger.verify(byMail, early).refused(409, "code.used") // it was mailed before the change
}

// A visitor who refuses the terms leaves nothing in the browser, as with a sign-out.
func TestSEC335_RefusedTermsLeaveNothing(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, withTerms("1"))
	address := fresh("v")
	s.operator(address, good)
	v := s.visitor()
	recovery := v.forgot(address)
	v.verify(recovery, s.mail.code(address)).must(200)
	v.post("terms/refuse", object{"flow": v.signIn(address, good).must(200).flow()}).must(200)
	v.reset(recovery, other).refused(404, "flow.unknown")
}
