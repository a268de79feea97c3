package security

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"maps"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"portico/internal/openid/openidtest"
	"portico/internal/passkey/passkeytest"
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
// forgeries that an attacker other than the provider can make. Each is compared with the nearest
// ID token that is right.
func TestSEC113_ForgedIDTokens(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, true)
	p.metadata = object{"id_token_signing_alg_values_supported": []string{"ES256", "HS256", "none"}} // what Portico takes is its own choice
	stranger := newIDP(t)
	now := func() int64 { return s.clock.Now().Unix() }
	type token struct {
		claims object
		forge  func(signed string) string
	}
	changed := func(name string, value any) token { return token{claims: object{name: value}} }
	forged := func(forge func(string) string) token { return token{forge: forge} }
	asIs := forged(nil)
	header := func(changes object, key any, alg jose.SignatureAlgorithm) token {
		return forged(func(text string) string {
			return openidtest.Sign(t, alg, key, payloadOf(t, text), openidtest.With(object{"typ": "JWT"}, changes))
		})
	}
	secret := func(key []byte) token { return header(object{"kid": "k"}, key, jose.HS256) }
	own := jose.JSONWebKey{Key: p.key.Public(), KeyID: "k", Algorithm: "ES256", Use: "sig"}
	theirs := jose.JSONWebKey{Key: stranger.key.Public(), KeyID: "k", Algorithm: "ES256", Use: "sig"}
	der, err := x509.MarshalPKIXPublicKey(p.key.Public())
	if err != nil {
		t.Fatal(err)
	}
	document, err := own.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ wrong, right token }{
		"another key":            {header(object{"kid": "k"}, stranger.key, jose.ES256), header(object{"kid": "k"}, p.key, jose.ES256)},
		"a key in the token":     {header(object{"jwk": theirs}, stranger.key, jose.ES256), header(object{"jwk": theirs}, p.key, jose.ES256)},
		"an address of keys":     {header(object{"jku": stranger.server.URL + "/keys", "kid": "k"}, stranger.key, jose.ES256), header(object{"jku": stranger.server.URL + "/keys", "kid": "k"}, p.key, jose.ES256)},
		"an unknown name of key": {header(object{"kid": "x"}, p.key, jose.ES256), header(nil, p.key, jose.ES256)},
		"a header to understand": {header(object{"crit": []string{"x"}, "x": "y"}, p.key, jose.ES256), header(object{"x": "y"}, p.key, jose.ES256)},
		"another type":           {header(object{"typ": "at+jwt"}, p.key, jose.ES256), header(object{"typ": "JWT"}, p.key, jose.ES256)},
		"no signature":           {forged(func(text string) string { return text[:strings.LastIndex(text, ".")+1] }), asIs},
		"a signature of zeros": {forged(func(text string) string {
			return text[:strings.LastIndex(text, ".")+1] + base64.RawURLEncoding.EncodeToString(make([]byte, 64))
		}), asIs},
		"alg none": {forged(func(text string) string {
			return "eyJhbGciOiJub25lIn0" + text[strings.Index(text, "."):strings.LastIndex(text, ".")+1]
		}), asIs},
		"alg none with the signature": {forged(func(text string) string { return "eyJhbGciOiJub25lIn0" + text[strings.Index(text, "."):] }), asIs},
		"other claims":                {forged(withAnotherSubject), asIs},
		"two signatures": {forged(func(text string) string {
			parts := strings.Split(text, ".")
			return encode(object{"payload": parts[1], "signatures": []object{{"protected": parts[0], "signature": parts[2]}, {"protected": parts[0], "signature": parts[2]}}})
		}), asIs},
		"HMAC with the key as PEM":   {secret(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})), asIs},
		"HMAC with the key as DER":   {secret(der), asIs},
		"HMAC with the key as a JWK": {secret(document), asIs},
		"another issuer":             {changed("iss", stranger.server.URL), changed("iss", p.server.URL)},
		"a slash at the end":         {changed("iss", p.server.URL+"/"), changed("iss", p.server.URL)},
		"another audience":           {changed("aud", "someone"), changed("aud", clientID)},
		"two audiences":              {changed("aud", []string{clientID, "someone"}), changed("aud", []string{clientID})},
		"no audience":                {changed("aud", nil), changed("aud", clientID)},
		"another azp":                {changed("azp", "someone"), changed("azp", clientID)},
		"ended":                      {changed("exp", now()-61), changed("exp", now()-59)},
		"from the future":            {changed("iat", now()+61), changed("iat", now()+59)},
		"not yet":                    {changed("nbf", now()+61), changed("nbf", now()+59)},
		"no end":                     {changed("exp", nil), changed("exp", now()+1)},
		"another nonce":              {changed("nonce", "x"), asIs},
		"no nonce":                   {changed("nonce", nil), asIs},
		"no subject":                 {changed("sub", ""), changed("sub", fresh("s"))},
		"a number as subject":        {changed("sub", 1), changed("sub", "1")},
		"a long subject":             {changed("sub", strings.Repeat("x", 256)), changed("sub", strings.Repeat("x", 255))},
	} {
		tries := func(c token) (v *visitor, next string) {
			claims := object{"email": fresh("n"), "email_verified": true, "sub": fresh("s")}
			maps.Copy(claims, c.claims)
			p.forge, v = c.forge, s.visitor()
			return v, v.continueWith(p.says(claims))
		}
		if v, next := tries(c.wrong); v.whoami() != "" || !strings.Contains(next, "provider.rejected") {
			t.Errorf("%s: signed in as %q, sent to %s", name, v.whoami(), next)
		}
		if v, next := tries(c.right); v.whoami() == "" {
			t.Errorf("%s: the right ID token beside it leads to %s", name, next)
		}
	}
	if stranger.asked != 0 {
		t.Errorf("the token has sent Portico to %d addresses", stranger.asked)
	}
}

// withAnotherSubject replaces the claims of a signed token.
func withAnotherSubject(text string) string {
	parts := strings.Split(text, ".")
	claims, _ := base64.RawURLEncoding.DecodeString(parts[1])
	parts[1] = base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(string(claims), `"sub":"`, `"sub":"x`, 1)))
	return strings.Join(parts, ".")
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
	s.config.SignUp.Mode = "closed"
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

func TestSEC363_DomainsHaveNoSideDoor(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, true)
	address := fresh("n")
	begun := s.visitor() // begun before the operator names domains
	flow := begun.signUp(address, good)
	code := s.mail.next(address).code(t)
	s.config.SignUp.Domains = []string{"elsewhere.test"}
	s.restart()
	begun2 := s.visitor()
	begun2.cookies = begun.cookies
	begun2.verify(flow, code).refused(403, "signup.domain")
	outside := fresh("n")
	s.visitor().signUp(outside, good)
	if m := s.mail.next(outside); !strings.Contains(m.subject(t), "can't be used") || strings.Contains(m.raw, "confirm-link") {
		t.Errorf("the email says %s", m.raw)
	}
	v := s.visitor()
	if next := v.continueWith(p.says(object{"sub": fresh("s"), "email": fresh("n"), "email_verified": true})); !strings.Contains(next, "signup.domain") {
		t.Errorf("a first sign-in with a provider leads to %s", next)
	}
	unproven := fresh("n")
	v.continueWith(p.says(object{"sub": fresh("s"), "email": unproven, "email_verified": false}))
	if m := s.mail.next(unproven); !strings.Contains(m.subject(t), "can't be used") {
		t.Errorf("the email says %s", m.raw)
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

// Each provider's document points at a server inside that counts connections. It is compared with a
// provider whose document points at itself.
func TestSEC123_ProvidersDoNotLeadInside(t *testing.T) {
	announce(t)
	t.Parallel()
	port, connections := inside(t)
	providers := map[string]*idp{}
	var options []option
	add := func(name string) *idp {
		p := newIDP(t)
		providers[name], options = p, append(options, p.at("p"+strconv.Itoa(len(options)), true))
		return p
	}
	for name, base := range map[string]string{
		"http": "http://127.0.0.1:", "https": "https://127.0.0.1:", "a name for this machine": "http://localhost:", "that name by https": "https://localhost:",
		"version 6": "https://[::1]:", "version 4 in version 6": "https://[::ffff:127.0.0.1]:", "a number": "http://2130706433:", "hex": "http://0x7f.1:",
		"short": "http://127.1:", "no address": "https://0.0.0.0:", "a dot at the end": "http://localhost.:", "another scheme": "gopher://127.0.0.1:", "the metadata of a cloud": "https://169.254.169.254:",
	} {
		for _, member := range []string{"token_endpoint", "jwks_uri", "userinfo_endpoint"} {
			add(name + ", " + member).metadata = object{member: base + port + "/x"}
		}
	}
	for name, path := range map[string]string{"a redirect to the inside": "/away", "keys without end": "/endless"} {
		p := add(name)
		p.away, p.metadata = "http://127.0.0.1:"+port+"/keys", object{"jwks_uri": p.server.URL + path}
	}
	const right = "a document that points at itself"
	add(right).says(object{"picture": "http://127.0.0.1:" + port + "/picture"})
	s := start(t, options...)
	for name, p := range providers {
		p.site = s
		p.userinfo = object{"sub": "subject-1", "email": fresh("n"), "email_verified": true} // the ID token has no address, so that UserInfo is needed
		v, began := s.visitor(), time.Now()
		if a := v.form("/auth/provider/"+p.id+"/start", nil); a.status == 200 {
			v.callback(p.id, p.approve(leaving(a)))
		}
		if in, took := v.whoami() != "", time.Since(began); in != (name == right) || took > testform.Limit(12*time.Second) {
			t.Errorf("%s: signed in is %v after %v", name, in, took)
		}
	}
	if n := connections.Load(); n != 0 {
		t.Errorf("%d connections went inside", n)
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
	owner.form("/auth/confirm-link/resend", url.Values{}).must(303)
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

// The attacker prepares an account for the address of another user, and each way in that an account
// can have. Then the owner of the mailbox opens the link that the attacker has caused.
func TestSEC127_NothingIsAttachedBeforeTheProof(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, false)
	mine := fresh("mine")
	key := passkeytest.New("portico.test", s.origin, make([]byte, 64))
	attach := func(attacker *visitor, flow string) {
		for operation, body := range map[string]object{
			"account/passkeys/begin": {"account": flow}, "account/passkeys": creation(object{"account": flow}, key.Create(strings.Repeat("A", 43))),
			"signup/passkey/begin": {"flow": flow}, "signup/passkey": creation(object{"flow": flow}, key.Create(strings.Repeat("A", 43))),
			"account/addresses": {"account": flow, "email": mine, "use": "recovery"}, "factors/add": {"account": flow},
		} {
			if got := attacker.post(operation, body); got.status < 400 {
				t.Errorf("%s before the proof: %d %s", operation, got.status, got.body)
			}
		}
	}
	for name, prepare := range map[string]func(attacker *visitor, victim string) (flow string){
		"a provider": func(attacker *visitor, victim string) string {
			u, _ := url.Parse(attacker.continueWith(p.says(object{"sub": "attacker", "email": victim, "email_verified": true})))
			return u.Query().Get("flow")
		},
		"a password": func(attacker *visitor, victim string) string { return attacker.signUp(victim, other) },
		"a passkey": func(attacker *visitor, victim string) string {
			return attacker.post("signup", object{"email": victim, "passkey": "yes"}).flow()
		},
		"another address": func(attacker *visitor, victim string) string {
			attacker.register(fresh("attacker"))
			return attacker.post("account/addresses", object{"account": attacker.id(), "email": victim, "use": "recovery"}).flow()
		},
	} {
		victim := fresh("victim")
		attacker := s.visitor()
		flow := prepare(attacker, victim)
		email := s.mail.next(victim)
		stranger := attacker.copied()
		delete(stranger.cookies, stranger.cookieName("session")) // the attacker's own account may have all of this
		attach(stranger, flow)
		owner := s.visitor() // this browser opens the email that the attacker caused
		if owner.open(email.token(t)).must(200); name == "a provider" || name == "a passkey" {
			u, _ := url.Parse(owner.post("confirm-link", object{}).next())
			owner.reset(u.Query().Get("flow"), good).must(200)
		} else { // the link asks for the password of the attacker, or works in their browser alone
			owner.register(victim)
		}
		if owner.whoami() != victim {
			t.Fatalf("%s: the owner is signed in as %q", name, owner.whoami())
		}
		attacker.verify(flow, email.code(t))
		attach(stranger, flow)
		ways := s.count(`SELECT COUNT(*) FROM passkey`) + s.count(`SELECT COUNT(*) FROM identity`) + s.count(`SELECT COUNT(*) FROM other_address`) + s.count(`SELECT COUNT(*) FROM factor`)
		if ways != 0 {
			t.Errorf("%s: %d other ways in are attached", name, ways)
		}
		w := s.visitor()
		w.signIn(victim, other)
		w.continueWith(p)
		w.enter(key.Use(w.ask()))
		if w.whoami() == victim || attacker.whoami() == victim {
			t.Errorf("%s: the attacker is signed in", name)
		}
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
