package security

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"portico/internal/testform"
)

func TestSEC110_UnverifiedAddressDoesNotLink(t *testing.T) {
	announce(t)
	t.Parallel()
	for name, one := range map[string]struct {
		trusted  bool
		verified any
	}{"unverified": {true, false}, "verified by a provider that is not trusted": {false, true}} {
		s, p := startWithIDP(t, one.trusted)
		victim := fresh("victim")
		s.operator(victim, good)
		v := s.visitor()
		next := v.continueWith(p.says(object{"email": victim, "email_verified": one.verified}))
		if v.whoami() != "" || s.count(`SELECT COUNT(*) FROM identity`) != 0 {
			t.Errorf("%s: signed in as %q", name, v.whoami())
		}
		if !strings.HasPrefix(next, "/auth/verify-code?flow=") {
			t.Errorf("%s: the browser is sent to %s", name, next)
		}
		s.settle()
		for _, l := range s.mail.to(victim) {
			if l.code(t) != "" || l.token(t) != "" {
				t.Errorf("%s: the owner gets a code that would attach a stranger's identity", name)
			}
		}
	}
	// A trusted provider has verified the address: its owner must sign in to
	// the account first.
	s, p := startWithIDP(t, true)
	victim := fresh("victim")
	s.operator(victim, good)
	v := s.visitor()
	next := v.continueWith(p.says(object{"email": victim, "email_verified": true}))
	if v.whoami() != "" || !strings.HasPrefix(next, "/auth/signin?flow=") {
		t.Fatalf("signed in as %q, sent to %s", v.whoami(), next)
	}
	u, err := url.Parse(next)
	if err != nil {
		t.Fatal(err)
	}
	flow := u.Query().Get("flow")
	other := s.visitor()
	other.post("signin", object{"email": victim, "password": good, "flow": flow}).must(200) // in another browser
	if s.count(`SELECT COUNT(*) FROM identity`) != 0 {
		t.Error("linked from another browser")
	}
	v.post("signin", object{"email": victim, "password": good, "flow": flow}).must(200)
	if s.count(`SELECT COUNT(*) FROM identity`) != 1 {
		t.Error("not linked after the owner has signed in")
	}
	if s.visitor().continueWith(p); s.count(`SELECT COUNT(*) FROM session`) != 3 {
		t.Error("the linked identity does not sign in")
	}
}

func TestSEC111_OnlyTrueIsVerified(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, true)
	for _, value := range []any{"false", "true", "FALSE", " true", 0, 1, nil, []any{}, []any{true}, object{}, false} {
		v := s.visitor()
		next := v.continueWith(p.says(object{"sub": fresh("s"), "email": fresh("n"), "email_verified": value}))
		if v.whoami() != "" || !strings.HasPrefix(next, "/auth/verify-code") {
			t.Errorf("email_verified %v counts as verified", value)
		}
	}
	// The flag of one document must not count for the address of the other.
	p.userinfo = object{"sub": "subject-u", "email": fresh("n"), "email_verified": false}
	v := s.visitor()
	v.continueWith(p.says(object{"sub": "subject-u", "email_verified": true}))
	if v.whoami() != "" {
		t.Error("a flag of the ID token verifies the address of UserInfo")
	}
	v.continueWith(p.says(object{"sub": fresh("s"), "email": fresh("n"), "email_verified": true}))
	if v.whoami() == "" {
		t.Error("true does not count as verified")
	}
}

func TestSEC112_AnotherSubjectIsAnotherPerson(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, true)
	victim := fresh("victim")
	s.visitor().continueWith(p.says(object{"sub": "1", "email": victim, "email_verified": true}))
	v := s.visitor()
	next := v.continueWith(p.says(object{"sub": "2", "email": victim, "email_verified": true}))
	if v.whoami() != "" || !strings.Contains(next, "provider.address_taken") {
		t.Errorf("another subject with the address is signed in as %q and sent to %s", v.whoami(), next)
	}
	if n := s.count(`SELECT COUNT(*) FROM audit WHERE name = 'provider_refused'`); n != 1 {
		t.Errorf("the record has %d refusals, want one", n)
	}
	// A new address at the provider does not move the account.
	w := s.visitor()
	w.continueWith(p.says(object{"sub": "1", "email": fresh("n"), "email_verified": true}))
	if w.whoami() != victim {
		t.Errorf("the account has moved to %q", w.whoami())
	}
}

// The tests of internal/federation hold the whole matrix. This test has the
// forgeries that an attacker beside the provider can make.
func TestSEC113_ForgedIDTokens(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, true)
	stranger := newIDP(t)
	now := func() int64 { return s.clock.Now().Unix() }
	claims := func(change object) object {
		o := object{"email": fresh("n"), "email_verified": true, "sub": fresh("s")}
		for k, v := range change {
			o[k] = v
		}
		return o
	}
	cases := map[string]struct {
		claims object
		forge  func(string) string
	}{
		"another key":  {claims(nil), func(text string) string { return stranger.sign(payloadOf(t, text)) }},
		"no signature": {claims(nil), func(text string) string { return text[:strings.LastIndex(text, ".")+1] }},
		"alg none": {claims(nil), func(text string) string {
			return "eyJhbGciOiJub25lIn0" + text[strings.Index(text, "."):strings.LastIndex(text, ".")+1]
		}},
		"HMAC with the public key": {claims(nil), func(text string) string {
			return sign(t, jose.HS256, jose.JSONWebKey{Key: []byte(encode(object{"k": "k"}) + strings.Repeat("k", 32)), KeyID: "k"}, payloadOf(t, text))
		}},
		"another issuer":      {claims(object{"iss": stranger.server.URL}), nil},
		"a slash at the end":  {claims(object{"iss": p.server.URL + "/"}), nil},
		"another audience":    {claims(object{"aud": "someone"}), nil},
		"two audiences":       {claims(object{"aud": []string{clientID, "someone"}}), nil},
		"no audience":         {claims(object{"aud": nil}), nil},
		"another azp":         {claims(object{"azp": "someone"}), nil},
		"ended":               {claims(object{"exp": now() - 61}), nil},
		"from the future":     {claims(object{"iat": now() + 120}), nil},
		"not yet":             {claims(object{"nbf": now() + 120}), nil},
		"no end":              {claims(object{"exp": nil}), nil},
		"another nonce":       {claims(object{"nonce": "x"}), nil},
		"no nonce":            {claims(object{"nonce": nil}), nil},
		"no subject":          {claims(object{"sub": ""}), nil},
		"a number as subject": {claims(object{"sub": 1}), nil},
		"a long subject":      {claims(object{"sub": strings.Repeat("x", 256)}), nil},
	}
	for name, c := range cases {
		p.forge = c.forge
		v := s.visitor()
		next := v.continueWith(p.says(c.claims))
		if v.whoami() != "" || !strings.Contains(next, "provider.rejected") {
			t.Errorf("%s: signed in as %q, sent to %s", name, v.whoami(), next)
		}
	}
	p.forge = nil
	v := s.visitor()
	if v.continueWith(p.says(claims(nil))); v.whoami() == "" {
		t.Error("the right ID token is refused")
	}
}

func payloadOf(t *testing.T, token string) string {
	jws, err := jose.ParseSignedCompact(token, []jose.SignatureAlgorithm{jose.ES256})
	if err != nil {
		t.Error(err)
		return ""
	}
	return string(jws.UnsafePayloadWithoutVerification())
}

func TestSEC114_UserInfoIsAboutTheSamePerson(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, true)
	victim := fresh("victim")
	p.userinfo = object{"sub": "another", "email": victim, "email_verified": true}
	v := s.visitor()
	next := v.continueWith(p.says(object{"sub": "mine"}))
	if v.whoami() != "" || !strings.Contains(next, "provider.rejected") {
		t.Errorf("UserInfo about somebody else signs in %q, sent to %s", v.whoami(), next)
	}
}

func TestSEC115_StateIsBoundToTheBrowser(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, true, newIDP(t).at("second", true))
	p.says(object{"email": fresh("n"), "email_verified": true})
	nobody := func(what string, v *visitor, a *answer) {
		t.Helper()
		if v.whoami() != "" || a.status == 303 && a.header.Get("Location") == "/auth/account" {
			t.Errorf("%s: signed in as %q", what, v.whoami())
		}
	}
	attacker, victim := s.visitor(), s.visitor()
	request := attacker.leave("acme", nil)
	if request.Get("code_challenge_method") != "S256" || len(request.Get("code_challenge")) != 43 || len(request.Get("nonce")) < 22 || request.Get("response_type") != "code" {
		t.Errorf("the request lacks PKCE or nonce: %v", request)
	}
	answer := p.approve(request)
	victim.get("/auth/signin")
	victim.forgot(fresh("n")) // sets a cookie in the victim's own browser
	nobody("the attacker's answer in the victim's browser", victim, victim.callback("acme", answer))

	nobody("no state", attacker, attacker.callback("acme", url.Values{"code": answer["code"], "iss": answer["iss"]}))
	nobody("a made-up state", attacker, attacker.callback("acme", url.Values{"code": answer["code"], "iss": answer["iss"], "state": {flowID}}))
	nobody("another provider's callback", attacker, attacker.callback("second", answer))
	late := s.visitor()
	lateAnswer := p.approve(late.leave("acme", nil))
	s.clock.Advance(16 * time.Minute)
	nobody("too late", late, late.callback("acme", lateAnswer))

	// Many attempts in one browser do not disturb one another.
	v := s.visitor()
	requests := make([]url.Values, rounds(10, 100))
	for i := range requests {
		requests[i] = v.leave("acme", nil)
	}
	v.callback("acme", p.approve(requests[len(requests)/2]))
	if v.whoami() == "" {
		t.Error("one of many attempts does not sign in")
	}
}

func TestSEC116_MixUp(t *testing.T) {
	announce(t)
	t.Parallel()
	honest, evil := newIDP(t), newIDP(t)
	s := start(t, honest.at("honest", true), evil.at("evil", true))
	honest.site, evil.site = s, s
	honest.says(object{"email": fresh("n"), "email_verified": true})
	v := s.visitor()
	answer := honest.approve(v.leave("evil", nil)) // the malicious provider has redirected the browser to the honest one
	v.callback("evil", answer)
	if v.whoami() != "" || evil.posted != nil {
		t.Errorf("the honest provider's code went to the evil one: %v", evil.posted)
	}
	for _, iss := range []string{"", evil.server.URL, honest.server.URL + "/"} {
		w := s.visitor()
		answer := honest.approve(w.leave("honest", nil))
		answer.Set("iss", iss)
		w.callback("honest", answer)
		if w.whoami() != "" {
			t.Errorf("the issuer %q is accepted", iss)
		}
	}
}

func TestSEC117_CallbacksWorkOnce(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, true)
	p.says(object{"email": fresh("n"), "email_verified": true})
	v := s.visitor()
	answer := p.approve(v.leave("acme", nil))
	v.callback("acme", answer)
	if v.whoami() == "" {
		t.Fatal("not signed in")
	}
	again := s.visitor()
	again.cookies[again.cookieName("browser")] = v.cookie("browser")
	again.callback("acme", answer)
	s.visitor().callback("acme", answer)
	s.visitor().callback("acme", url.Values{"code": {"unsolicited"}, "iss": {p.server.URL}})
	if again.whoami() != "" || s.count(`SELECT COUNT(*) FROM session`) != 1 {
		t.Error("a replayed callback signs in")
	}
	// A flow that waits for a sign-in must also link only once.
	victim := fresh("victim")
	s.operator(victim, good)
	w := s.visitor()
	next := w.continueWith(p.says(object{"sub": "waits", "email": victim, "email_verified": true}))
	u, _ := url.Parse(next)
	body := object{"email": victim, "password": good, "flow": u.Query().Get("flow")}
	w.post("signin", body).must(200)
	linked := s.count(`SELECT COUNT(*) FROM identity`)
	w.post("signin", body).must(200)
	if n := s.count(`SELECT COUNT(*) FROM identity`); n != linked {
		t.Errorf("%d identities after the second use, want %d", n, linked)
	}
}

func TestSEC120_ClosedRegistrationHasNoSideDoor(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, true)
	address := fresh("n")
	begun := s.visitor() // begun before the operator closes registration
	flow := begun.signUp(address, good)
	email := s.mail.next(address)
	s.config.SignUp.Enabled = false
	s.restart()
	begun2 := s.visitor()
	begun2.cookies = begun.cookies
	begun2.verify(flow, email.code(t)).refused(403, "signup.closed")
	begun2.open(email.token(t))
	begun2.post("confirm-link", object{}).refused(403, "signup.closed")
	s.visitor().post("signup", object{"email": fresh("n"), "password": good, "confirm_password": good}).refused(403, "signup.closed")
	v := s.visitor()
	for _, verified := range []bool{true, false} {
		if next := v.continueWith(p.says(object{"sub": fresh("s"), "email": fresh("n"), "email_verified": verified})); !strings.Contains(next, "signup.closed") {
			t.Errorf("a first sign-in with a provider leads to %s", next)
		}
	}
	if n := s.count(`SELECT COUNT(*) FROM account`); n != 0 || v.whoami() != "" {
		t.Errorf("%d accounts were made", n)
	}
}

func TestSEC122_DisabledStaysDisabledAtTheProvider(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, true)
	address := fresh("v")
	s.visitor().continueWith(p.says(object{"email": address, "email_verified": true}))
	s.disable(address)
	v := s.visitor()
	if next := v.continueWith(p); v.whoami() != "" || !strings.Contains(next, "account.disabled") {
		t.Errorf("signed in as %q, sent to %s", v.whoami(), next)
	}
	if n := s.count(`SELECT COUNT(*) FROM account WHERE state = 'disabled'`); n != 1 {
		t.Error("the account was opened again")
	}
}

func TestSEC123_ProvidersDoNotLeadInside(t *testing.T) {
	announce(t)
	t.Parallel()
	inside, p := newIDP(t), newIDP(t)
	p.away = inside.server.URL + "/keys"
	for name, change := range map[string]object{
		"the token endpoint":       {"token_endpoint": inside.server.URL + "/token"},
		"the keys":                 {"jwks_uri": inside.server.URL + "/keys"},
		"UserInfo":                 {"userinfo_endpoint": inside.server.URL + "/userinfo"},
		"the metadata of a cloud":  {"token_endpoint": "http://169.254.169.254/latest/meta-data"},
		"another scheme":           {"token_endpoint": "gopher://127.0.0.1/"},
		"a name for this machine":  {"token_endpoint": "https://localhost/token"},
		"an address in hex":        {"jwks_uri": "https://0x7f.1/keys"},
		"an address of version 6":  {"jwks_uri": "https://[::1]/keys"},
		"a redirect to the inside": {"jwks_uri": p.server.URL + "/away"},
	} {
		p.metadata = change
		s := start(t, p.at("acme", true))
		p.site = s
		p.says(object{"email": fresh("n"), "email_verified": true})
		v := s.visitor()
		began := time.Now()
		a := v.form("/auth/provider/acme/start", nil)
		if a.status == 200 {
			v.callback("acme", p.approve(leaving(a)))
		}
		if v.whoami() != "" && name != "UserInfo" {
			t.Errorf("%s leads elsewhere and the sign-in works", name)
		}
		if took := time.Since(began); took > testform.Limit(12*time.Second) {
			t.Errorf("%s took %v", name, took)
		}
	}
	if inside.asked != 0 {
		t.Errorf("an inner address was asked %d times", inside.asked)
	}
}

func TestSEC125_UnprovenPasswordNeverOwnsAnAccount(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, true)
	victim := fresh("victim")
	attacker := s.visitor()
	flow := attacker.signUp(victim, other)
	v := s.visitor()
	v.continueWith(p.says(object{"email": victim, "email_verified": true}))
	if v.whoami() != victim {
		t.Fatalf("signed in as %q", v.whoami())
	}
	email := s.mail.next(victim)
	attacker.verify(flow, email.code(t)).refused(409, "signup.taken") // even with the code
	if a := attacker.signIn(victim, other); a.status == 200 && attacker.cookie("session") != "" {
		t.Error("the attacker's password signs in")
	}
	s.visitor().signIn(victim, other).refused(401, "signin.rejected")
	if n := s.count(`SELECT COUNT(*) FROM account WHERE password <> ''`); n != 0 {
		t.Error("the account has the attacker's password")
	}
	// The link of the attacker's registration must not restore it either when
	// it is opened late, or requested again.
	trap := fresh("victim")
	s.visitor().signUp(trap, other)
	first := s.mail.next(trap)
	s.clock.Advance(11 * time.Minute)
	owner := s.visitor()
	owner.open(first.token(t))
	owner.form("/auth/confirm-link", url.Values{"action": {"resend"}}).must(303)
	second := s.mail.next(trap)
	owner.open(second.token(t))
	owner.post("confirm-link", object{})
	s.visitor().signIn(trap, other).refused(401, "signin.rejected")
}

func TestSEC126_NoSessionBeforeTheProof(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	victim := fresh("victim")
	attacker := s.visitor()
	flow := attacker.signUp(victim, other)
	attacker.signIn(victim, other).must(200)
	if attacker.whoami() != "" || attacker.cookie("session") != "" {
		t.Fatal("a session before the address is proven")
	}
	emails := []*email{s.mail.next(victim), s.mail.next(victim)}
	owner := s.visitor()
	proof := owner.signUp(victim, good)
	owner.verify(proof, lastCode(s, s.mail, victim)).must(200)
	for _, l := range emails {
		attacker.verify(flow, l.code(t))
	}
	if attacker.whoami() != "" {
		t.Errorf("the attacker is signed in as %q", attacker.whoami())
	}
	s.visitor().signIn(victim, other).refused(401, "signin.rejected")
	s.visitor().signIn(victim, good).must(200)
}

func TestSEC127_NothingIsAttachedBeforeTheProof(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, false)
	victim := fresh("victim")
	attacker := s.visitor()
	attacker.continueWith(p.says(object{"sub": "attacker", "email": victim, "email_verified": true}))
	email := s.mail.next(victim)
	owner := s.visitor() // this browser opens the email that the attacker caused
	owner.open(email.token(t)).must(200)
	next := owner.post("confirm-link", object{}).next()
	if !strings.HasPrefix(next, "/auth/reset-password?flow=") {
		t.Fatalf("the owner is sent to %s", next)
	}
	u, _ := url.Parse(next)
	owner.reset(u.Query().Get("flow"), good).must(200)
	if owner.whoami() != victim {
		t.Fatalf("the owner is signed in as %q", owner.whoami())
	}
	w := s.visitor()
	w.continueWith(p)
	if w.whoami() != "" || s.count(`SELECT COUNT(*) FROM identity`) != 0 {
		t.Errorf("the attacker's identity signs in as %q", w.whoami())
	}
}

func TestSEC129_NonVerifyingProvider(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, true)
	victim := fresh("victim")
	attacker := s.visitor()
	next := attacker.continueWith(p.says(object{"sub": "attacker", "email": victim, "email_verified": false}))
	if attacker.whoami() != "" || s.count(`SELECT COUNT(*) FROM account`) != 0 {
		t.Fatalf("an account of an unproven address: sent to %s", next)
	}
	s.settle() // that email comes before the owner's own
	owner := s.visitor()
	flow := owner.signUp(victim, good)
	owner.verify(flow, lastCode(s, s.mail, victim)).must(200)
	if owner.whoami() != victim {
		t.Fatal("the owner cannot register")
	}
	w := s.visitor()
	w.continueWith(p)
	if w.whoami() != "" || s.count(`SELECT COUNT(*) FROM identity`) != 0 {
		t.Errorf("the attacker's identity signs in as %q", w.whoami())
	}
}
