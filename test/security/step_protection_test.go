package security

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"portico/internal/config"
	"portico/internal/factor"
	"portico/internal/passkey/passkeytest"
)

// requiring makes users need a second factor.
func requiring(grace time.Duration, who ...string) option {
	return func(c *config.Config) { c.MFA.Require, c.MFA.Grace = who, grace }
}

// bare signs in to an account that needs a second factor and has none. It returns the
// flow that waits.
func (v *visitor) bare(address string) string {
	v.Helper()
	next := v.signIn(address, good).next()
	flow, ok := strings.CutPrefix(next, "/auth/protect?flow=")
	if !ok || v.cookie("session") != "" {
		v.Fatalf("the sign-in leads to %s", next)
	}
	return flow
}

func (v *visitor) secretOf(flow string) factor.Secret {
	v.Helper()
	return key(v, v.shown("/auth/protect?flow="+flow).Secret)
}

func TestSEC261_ASignInWithoutItsFactorReachesNothing(t *testing.T) {
	announce(t)
	t.Parallel()
	behind := newApp(t, func(*http.Request) string { return "the app" })
	s := start(t, requiring(0, "all"), protects(behind), trusting())
	address := fresh("v")
	s.operator(address, good)
	v := s.visitor()
	flow := v.bare(address)
	v.reachesNothing(flow, "protect", behind)
	if a := v.post("protect/later", object{"flow": flow}); a.status != 409 || v.whoami() != "" {
		t.Errorf("without a grace, it is put off with status %d", a.status)
	}
	if a := s.visitor().post("protect", object{"flow": flow, "code": v.secretOf(flow).At(s.clock.Now())}); a.status != 404 {
		t.Errorf("another browser goes on with status %d", a.status)
	}
	if a := v.get("/auth/signin"); a.status != 303 || a.header.Get("Location") != "/auth/protect?flow="+flow {
		t.Errorf("the sign-in page leads to %d %s", a.status, a.header.Get("Location"))
	}
	v.post("protect", object{"flow": flow, "code": v.secretOf(flow).At(s.clock.Now())}).must(200)
	if v.whoami() != address || v.get("/page").status != 200 {
		t.Error("with a factor the app is not reached")
	}
}

func TestSEC262_AnOpenStepEndsWithTheFirstFactor(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, requiring(14*24*time.Hour, "all"))
	address := fresh("v")
	s.operator(address, good)
	thief, owner := s.visitor(), s.visitor()
	open := thief.bare(address)
	theirs := thief.secretOf(open)
	held := owner.bare(address)
	owner.post("protect", object{"flow": held, "code": owner.secretOf(held).At(s.clock.Now())}).must(200)
	for operation, body := range map[string]object{
		"protect":               {"flow": open, "code": theirs.At(s.clock.Now())},
		"protect/later":         {"flow": open},
		"protect/passkey/begin": {"flow": open},
	} {
		if a := thief.post(operation, body); a.status != 404 || thief.whoami() != "" {
			t.Errorf("%s gets status %d: %s", operation, a.status, a.body)
		}
	}
	if a := thief.get("/auth/protect?flow=" + open); a.status != 404 || strings.Contains(a.body, "otpauth") {
		t.Errorf("the page answers %d", a.status)
	}
	if a := thief.get("/auth/signin"); a.status != 200 {
		t.Errorf("the sign-in page answers %d %s", a.status, a.header.Get("Location"))
	}
	if n := len(owner.shown("/auth/account/factors").List); n != 1 {
		t.Errorf("the account has %d factors", n)
	}
	// Only one of several presses with one code adds the factor.
	another := fresh("v")
	s.operator(another, good)
	v := s.visitor()
	waiting := v.bare(another)
	oneWins(s, "a factor", rounds(4, 20), v, "protect", object{"flow": waiting, "code": v.secretOf(waiting).At(s.clock.Now())})
}

func TestSEC263_NoWayAroundTheFactor(t *testing.T) {
	announce(t)
	t.Parallel()
	const grace = 48 * time.Hour
	s, p := startWithIDP(t, true, requiring(grace, "role:admin", "all"))
	address := fresh("v")
	s.operator(address, good)

	v := s.visitor()
	first := v.bare(address)
	s.clock.Advance(grace)
	if a := v.post("protect/later", object{"flow": first}); a.status == 200 || v.whoami() != "" {
		t.Errorf("a page from the grace is put off with status %d", a.status)
	}
	w := s.visitor()
	forgotten := w.forgot(address)
	w.verify(forgotten, s.mail.next(address).code(t)).must(200)
	if next := w.reset(forgotten, other).next(); !strings.HasPrefix(next, "/auth/protect?flow=") || w.whoami() != "" {
		t.Errorf("the recovery leads to %s", next)
	}
	theirs := fresh("v")
	p.says(object{"sub": theirs, "email": theirs, "email_verified": true})
	x := s.visitor()
	if next := x.continueWith(p); !strings.HasPrefix(next, "/auth/protect?flow=") || x.whoami() != "" {
		t.Errorf("the provider leads to %s", next)
	}

	// A passkey is one, and is asked for after the password.
	y := s.visitor()
	y.signIn(address, other)
	flow := strings.TrimPrefix(y.get("/auth/signin").header.Get("Location"), "/auth/protect?flow=")
	var offer struct {
		Challenge string `json:"challenge"`
		User      string `json:"user_id"`
	}
	y.post("protect/passkey/begin", object{"flow": flow}).must(200).parse(&offer)
	handle, err := base64.RawURLEncoding.DecodeString(offer.User)
	if err != nil {
		t.Fatal(err)
	}
	made := passkeytest.New("portico.test", s.origin, handle)
	unverified := passkeytest.New("portico.test", s.origin, handle)
	unverified.Flags &^= passkeytest.Verified
	send := func(a *passkeytest.Authenticator, challenge string) *answer {
		c := a.Create(challenge)
		return y.post("protect/passkey", object{"flow": flow, "credential": c.Credential, "client_data": c.ClientData, "attestation": c.Attestation})
	}
	if a := send(unverified, offer.Challenge); a.status == 200 || y.whoami() != "" {
		t.Errorf("a passkey without its user is taken with status %d", a.status)
	}
	y.post("protect/passkey/begin", object{"flow": flow}).must(200).parse(&offer)
	send(made, offer.Challenge).must(200)
	if y.whoami() != address {
		t.Fatal("the passkey does not sign in")
	}
	z := s.visitor()
	if next := z.signIn(address, other).next(); !strings.HasPrefix(next, "/auth/mfa?flow=") || z.whoami() != "" {
		t.Errorf("the password alone leads to %s", next)
	}
}

func TestSEC441_NoFirstFactorDuringAnAlarm(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, requiring(0, "role:strict"))
	v, address := s.signedIn()
	v.post("account/profile", object{"account": v.id(), "name": "Mara"}).must(200)
	s.byHand(address, true, "strict")
	flow := v.raises(s.alarm(address)).must(200).flow()
	v.verify(flow, s.mail.code(address)).must(200)
	if next := v.reset(flow, other).must(200).next(); strings.HasPrefix(next, "/auth/protect?") || v.whoami() != address {
		t.Fatalf("after the alarm: sent to %s, as %q", next, v.whoami())
	}
	w := s.visitor()
	if next := w.signIn(address, other).must(200).next(); w.whoami() != address {
		t.Errorf("another sign-in: sent to %s", next)
	}
	w.post("factors/add", object{"account": w.id()}).refused(403, "alarm.raised")
	s.clock.Advance(72 * time.Hour)
	if next := s.visitor().signIn(address, other).must(200).next(); !strings.HasPrefix(next, "/auth/protect?flow=") {
		t.Errorf("after 72 hours: sent to %s", next)
	}
}
