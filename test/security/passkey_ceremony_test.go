package security

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/config"
	"portico/internal/passkey"
	"portico/internal/passkey/passkeytest"
)

// ask returns a challenge for a sign-in in the browser of the visitor.
func (v *visitor) ask() (challenge string) {
	v.Helper()
	var got struct{ Challenge string }
	v.post("passkey/ask", object{}).must(200).parse(&got)
	return got.Challenge
}

// enter signs in with what an authenticator answers.
func (v *visitor) enter(a passkey.Answer) *answer {
	v.Helper()
	return v.post("passkey", parts(a))
}

func parts(a passkey.Answer) object {
	return object{
		"credential": a.Credential, "client_data": a.ClientData, "authenticator_data": a.AuthData, "signature": a.Signature, "user_handle": a.Handle,
	}
}

// offered returns an authenticator for the account of the visitor, and a
// challenge for its new passkey.
func (v *visitor) offered() (a *passkeytest.Authenticator, challenge string) {
	v.Helper()
	var offer struct {
		Challenge string `json:"challenge"`
		User      string `json:"user_id"`
	}
	v.post("account/passkeys/begin", object{"account": v.id()}).must(200).parse(&offer)
	handle, err := base64.RawURLEncoding.DecodeString(offer.User)
	if err != nil || len(handle) != 64 {
		v.Fatalf("the user handle is %q", offer.User)
	}
	return passkeytest.New("portico.test", v.origin, handle), offer.Challenge
}

func (v *visitor) add(a passkey.Answer) *answer {
	v.Helper()
	return v.post("account/passkeys", object{
		"account": v.id(), "credential": a.Credential, "client_data": a.ClientData, "attestation": a.Attestation, "transports": a.Transports,
	})
}

// holder returns the owner of a passkey, with its authenticator.
func (s *site) holder(change ...func(*passkeytest.Authenticator)) (*visitor, *passkeytest.Authenticator) {
	s.Helper()
	v := s.visitor().register(fresh("v"))
	a, challenge := v.offered()
	for _, c := range change {
		c(a)
	}
	v.add(a.Create(challenge)).must(200)
	return v, a
}

// in is what the site answers to the right passkey of a browser.
func (s *site) in(a *passkeytest.Authenticator) *visitor {
	s.Helper()
	v := s.visitor()
	v.enter(a.Use(v.ask())).must(200)
	return v
}

func TestSEC038_AChallengeIsUsedOnce(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	owner, a := s.holder()
	v := s.visitor()
	answer := a.Use(v.ask())
	v.enter(answer).must(200)
	if v.whoami() != owner.whoami() {
		t.Fatal("the passkey does not sign in")
	}
	v.enter(answer).refused(409, "passkey.expired")

	wrong := *a
	wrong.Key = passkeytest.New("", "", nil).Key
	challenge := v.ask()
	v.enter(wrong.Use(challenge)).refused(401, "passkey.refused")
	v.enter(a.Use(challenge)).refused(409, "passkey.expired") // used up by the wrong answer

	elsewhere := s.visitor()
	elsewhere.ask() // has a browser cookie
	elsewhere.enter(a.Use(v.ask())).refused(401, "passkey.refused")
	s.visitor().enter(a.Use(v.ask())).refused(401, "passkey.refused")

	late := v.ask()
	s.clock.Advance(5 * time.Minute)
	v.enter(a.Use(late)).refused(409, "passkey.expired")

	many, wins := v.ask(), atomic.Int32{}
	answer = a.Use(many)
	var callers sync.WaitGroup
	for range 20 {
		callers.Go(func() {
			got, err := v.try("POST", "/auth/api/passkey", encode(parts(answer)), v.ours("application/json"))
			if err == nil && got.status == 200 {
				wins.Add(1)
			}
		})
	}
	callers.Wait()
	if wins.Load() != 1 {
		t.Errorf("%d of 20 callers with one challenge signed in", wins.Load())
	}
}

func TestSEC103_TheServerAsksForVerification(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	_, a := s.holder()
	v := s.visitor()
	for flags, want := range map[byte]string{passkeytest.Present: "passkey.unproven", passkeytest.Verified: "passkey.refused", 0: "passkey.refused"} {
		wrong := *a
		wrong.Flags = flags
		v.enter(wrong.Use(v.ask())).refused(401, want)
	}
	owner := s.visitor().register(fresh("w"))
	b, challenge := owner.offered()
	b.Flags = passkeytest.Present
	owner.add(b.Create(challenge)).refused(401, "passkey.refused")
	if v.whoami() != "" {
		t.Error("a passkey without verification signed in")
	}
}

func TestSEC104_TheKeyDecidesWhoSignsIn(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	_, mine := s.holder()
	victim, theirs := s.holder()
	for name, change := range map[string]func(*passkeytest.Authenticator){
		"my key, their handle":     func(a *passkeytest.Authenticator) { a.Handle = theirs.Handle },
		"my key, their credential": func(a *passkeytest.Authenticator) { a.ID = theirs.ID },
		"my key, both theirs":      func(a *passkeytest.Authenticator) { a.ID, a.Handle = theirs.ID, theirs.Handle },
		"no handle":                func(a *passkeytest.Authenticator) { a.Handle = nil },
		"the address as handle":    func(a *passkeytest.Authenticator) { a.Handle = []byte(victim.whoami()) },
	} {
		wrong := *mine
		change(&wrong)
		v := s.visitor()
		if got := v.enter(wrong.Use(v.ask())); got.status != 401 || v.whoami() != "" {
			t.Errorf("%s: %d, signed in as %q", name, got.status, v.whoami())
		}
	}
	unknown := passkeytest.New("portico.test", s.origin, mine.Handle)
	v := s.visitor()
	v.enter(unknown.Use(v.ask())).refused(401, "passkey.unknown")
	// Another account cannot take over a credential.
	thief := s.visitor().register(fresh("t"))
	stolen, challenge := thief.offered()
	stolen.ID = theirs.ID
	thief.add(stolen.Create(challenge)).refused(409, "passkey.exists")
	if got := s.in(theirs).whoami(); got != victim.whoami() {
		t.Errorf("the victim's passkey signs in as %q", got)
	}
}

func TestSEC105_OneWrongPartIsRefused(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, func(c *config.Config) { c.PasskeyOrigins = []string{"https://example.net"} })
	_, a := s.holder()
	v := s.visitor()
	for name, change := range map[string]func(*passkeytest.Authenticator){
		"type":              func(a *passkeytest.Authenticator) { a.Type = "webauthn.create" },
		"http":              func(a *passkeytest.Authenticator) { a.Origin = "http://portico.test" },
		"port":              func(a *passkeytest.Authenticator) { a.Origin = "https://portico.test:8443" },
		"sibling":           func(a *passkeytest.Authenticator) { a.Origin = "https://app.portico.test" },
		"suffix":            func(a *passkeytest.Authenticator) { a.Origin = "https://evilportico.test" },
		"trailing dot":      func(a *passkeytest.Authenticator) { a.Origin = "https://portico.test." },
		"another origin":    func(a *passkeytest.Authenticator) { a.Origin = "https://evil.test" },
		"below a related":   func(a *passkeytest.Authenticator) { a.Origin = "https://x.example.net" },
		"null":              func(a *passkeytest.Authenticator) { a.Origin = "null" },
		"rp id":             func(a *passkeytest.Authenticator) { a.Host = "evil.test" },
		"rp id of a parent": func(a *passkeytest.Authenticator) { a.Host = "test" },
		"cross origin":      func(a *passkeytest.Authenticator) { a.More = object{"crossOrigin": true} },
		"top origin":        func(a *passkeytest.Authenticator) { a.More = object{"crossOrigin": true, "topOrigin": s.origin} },
		"token binding":     func(a *passkeytest.Authenticator) { a.More = object{"tokenBinding": object{"status": "x"}} },
		"no origin":         func(a *passkeytest.Authenticator) { a.Origin = "" },
		"no challenge":      func(a *passkeytest.Authenticator) { a.More = object{"challenge": ""} },
		"another challenge": func(a *passkeytest.Authenticator) { a.More = object{"challenge": strings.Repeat("A", 75)} },
		"a name twice":      func(a *passkeytest.Authenticator) { a.Client = passkeytest.Twice },
		"a reserved flag":   func(a *passkeytest.Authenticator) { a.Flags |= 1 << 1 },
		"reserved flag 5":   func(a *passkeytest.Authenticator) { a.Flags |= 1 << 5 },
		"extensions":        func(a *passkeytest.Authenticator) { a.Flags |= 1 << 7 },
		"another key":       func(a *passkeytest.Authenticator) { a.Key = passkeytest.New("", "", nil).Key },
		"empty signature":   func(a *passkeytest.Authenticator) { a.Sign = func([]byte) []byte { return nil } },
		"unsigned":          func(a *passkeytest.Authenticator) { a.Sign = func(b []byte) []byte { return b[:64] } },
	} {
		wrong := *a
		change(&wrong)
		if got := v.enter(wrong.Use(v.ask())); got.status != 401 || got.code() != "passkey.refused" {
			t.Errorf("%s: %d %s", name, got.status, got.code())
		}
	}
	if v.whoami() != "" {
		t.Error("one of them signed in")
	}
	related := *a
	related.Origin = "https://example.net"
	v.enter(related.Use(v.ask())).must(200)
	if body := v.get("/.well-known/webauthn").must(200).body; strings.TrimSpace(body) != `{"origins":["https://portico.test","https://example.net"]}` {
		t.Errorf("browsers read %s", body)
	}
	sent := parts(a.Use(v.ask()))
	sent["extra"] = "x"
	v.post("passkey", sent).must(400)
	delete(sent, "extra")
	sent["client_data"] = strings.Repeat("A", 8000)
	v.post("passkey", sent).refused(401, "passkey.refused")
	sent["client_data"] = strings.Repeat("A", 17000)
	if got := v.post("passkey", sent); got.status != 413 {
		t.Errorf("a body of 17 kB: %d", got.status)
	}
}

// The same for a new passkey.
func TestSEC105_OneWrongPartOfANewPasskey(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor().register(fresh("v"))
	garbage := []byte{0xa2, 0x63, 'a', 'l', 'g', 0x26, 0x63, 's', 'i', 'g', 0x43, 0x30, 0x01, 0x00} // alg: ES256, sig
	for name, change := range map[string]func(*passkeytest.Authenticator){
		"type":               func(a *passkeytest.Authenticator) { a.Type = "webauthn.get" },
		"challenge":          func(a *passkeytest.Authenticator) { a.More = object{"challenge": strings.Repeat("A", 75)} },
		"http":               func(a *passkeytest.Authenticator) { a.Origin = "http://portico.test" },
		"port":               func(a *passkeytest.Authenticator) { a.Origin = "https://portico.test:8443" },
		"sibling":            func(a *passkeytest.Authenticator) { a.Origin = "https://app.portico.test" },
		"suffix":             func(a *passkeytest.Authenticator) { a.Origin = "https://evilportico.test" },
		"trailing dot":       func(a *passkeytest.Authenticator) { a.Origin = "https://portico.test." },
		"rp id":              func(a *passkeytest.Authenticator) { a.Host = "evil.test" },
		"cross origin":       func(a *passkeytest.Authenticator) { a.More = object{"crossOrigin": true} },
		"top origin":         func(a *passkeytest.Authenticator) { a.More = object{"crossOrigin": true, "topOrigin": s.origin} },
		"no verification":    func(a *passkeytest.Authenticator) { a.Flags = passkeytest.Present },
		"a reserved flag":    func(a *passkeytest.Authenticator) { a.Flags |= 1 << 5 },
		"a copy not to be":   func(a *passkeytest.Authenticator) { a.Flags |= passkeytest.Copied },
		"a name twice":       func(a *passkeytest.Authenticator) { a.Client = passkeytest.Twice },
		"ES384, not offered": func(a *passkeytest.Authenticator) { a.COSE = passkeytest.ES384() },
		"none, signed":       func(a *passkeytest.Authenticator) { a.Statement = garbage },
		"packed, broken":     func(a *passkeytest.Authenticator) { a.Format, a.Statement = "packed", garbage },
		"fido-u2f, broken":   func(a *passkeytest.Authenticator) { a.Format, a.Statement = "fido-u2f", garbage },
		"an unknown format":  func(a *passkeytest.Authenticator) { a.Format = "x" },
	} {
		a, challenge := v.offered()
		change(a)
		if got := v.add(a.Create(challenge)); got.status != 401 || got.code() != "passkey.refused" {
			t.Errorf("%s: %d %s", name, got.status, got.code())
		}
	}
	if n := s.count(`SELECT COUNT(*) FROM passkey`); n != 0 {
		t.Errorf("%d passkeys were added", n)
	}
}

func TestSEC107_ACopyIsNoticed(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	owner, a := s.holder(func(a *passkeytest.Authenticator) { a.Counter = 1 })
	address := owner.whoami()
	a.Counter = 9
	s.in(a)
	for _, counter := range []uint32{9, 8, 0} {
		a.Counter = counter
		v := s.visitor()
		v.enter(a.Use(v.ask())).refused(401, "passkey.refused")
	}
	s.settle()
	if n := s.count(`SELECT COUNT(*) FROM audit WHERE name = 'passkey_suspect'`); n != 3 {
		t.Errorf("%d audit records, want 3", n)
	}
	if !slices.ContainsFunc(s.mail.to(address), func(m *email) bool { return strings.Contains(m.raw, "may have been copied") }) {
		t.Error("the owner is not told")
	}
	a.Counter = 10
	s.in(a)

	// A passkey that may be copied to other devices is warned about, and works.
	_, synced := s.holder(func(a *passkeytest.Authenticator) { a.Flags |= passkeytest.Copies; a.Counter = 5 })
	synced.Counter = 4
	s.in(synced)
	if n := s.count(`SELECT COUNT(*) FROM audit WHERE name = 'passkey_suspect'`); n != 4 {
		t.Errorf("%d audit records, want 4", n)
	}
	for name, flags := range map[string]byte{
		"it may not be copied anymore": passkeytest.Present | passkeytest.Verified,
	} {
		wrong := *synced
		wrong.Flags, wrong.Counter = flags, 20
		v := s.visitor()
		if got := v.enter(wrong.Use(v.ask())); got.status != 401 {
			t.Errorf("%s: %d", name, got.status)
		}
	}
	wrong := *a
	wrong.Flags, wrong.Counter = wrong.Flags|passkeytest.Copied, 30
	v := s.visitor()
	v.enter(wrong.Use(v.ask())).refused(401, "passkey.refused")
}

func TestSEC108_ACeremonyStaysInItsSession(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor().register(fresh("v"))
	a, challenge := v.offered()
	other := s.visitor().register(fresh("o"))
	other.add(a.Create(challenge)).refused(401, "passkey.refused")
	v.add(a.Create(v.ask())).refused(401, "passkey.refused") // the challenge of a sign-in
	v.enter(a.Use(challenge)).refused(401, "passkey.refused")

	a, challenge = v.offered()
	v.post("account/password", guardedRoutes(v.id())["account/password"]).must(200)
	v.add(a.Create(challenge)).refused(401, "passkey.refused") // from before the password
	a, challenge = v.offered()
	v.add(a.Create(challenge)).must(200)
	v.add(a.Create(challenge)).refused(401, "passkey.refused") // of the session before the passkey
	again, challenge := v.offered()
	again.ID = a.ID
	v.add(again.Create(challenge)).refused(409, "passkey.exists")

	s.clock.Advance(10 * time.Minute)
	for path, body := range guardedRoutes(v.id()) {
		if strings.HasPrefix(path, "account/passkeys") {
			v.post(path, body).refused(401, "proof.needed")
		}
	}
	in := s.in(a) // counts as strong and new
	in.post("account/passkeys/begin", object{"account": in.id()}).must(200)
}

func TestSEC109_MalformedAnswersDoNoHarm(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor().register(fresh("v"))
	good, challenge := v.offered()
	object, err := base64.RawURLEncoding.DecodeString(good.Create(challenge).Attestation)
	if err != nil {
		t.Fatal(err)
	}
	for name, bytes := range map[string][]byte{
		"deep":         []byte(strings.Repeat("\x81", 4000)),
		"a huge array": {0x9b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		"a huge map":   {0xbb, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff},
		"a huge text":  {0x7b, 0x00, 0x00, 0x00, 0x7f, 0xff, 0xff, 0xff, 0xff},
		"endless":      {0x9f, 0x01},
		"nothing":      {0xa0},
	} {
		a := good.Create(challenge)
		a.Attestation = base64.RawURLEncoding.EncodeToString(bytes)
		if got := v.add(a); got.status != 401 {
			t.Errorf("%s: %d", name, got.status)
		}
	}
	for i := range rounds(300, 3000) {
		a := good.Create(challenge)
		bytes := append([]byte{}, object...)
		bytes[(i*7919)%len(bytes)] ^= byte(1 << (i % 8))
		a.Attestation = base64.RawURLEncoding.EncodeToString(bytes[:len(bytes)-i%3])
		if c, err := passkey.ParseCreation(a); err == nil {
			_ = fmt.Sprint(c.Challenge())
		}
		if i%30 == 0 {
			if got := v.add(a); got.status >= 500 {
				t.Fatalf("change %d: %d", i, got.status)
			}
		}
	}
	_, a := s.holder()
	s.in(a) // still there
}

func TestSEC293_APasskeyAsASecondFactorIsOfItsAccount(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	owner, key := s.holder()
	address := owner.whoami()
	_, theirs := s.holder()
	second := func(v *visitor, a *passkeytest.Authenticator, of string) *answer {
		body := parts(a.Use(v.ask()))
		body["second"] = of
		return v.post("passkey", body)
	}
	// A password opens the account and changes nothing of it.
	v := s.visitor()
	v.signIn(address, good).must(200)
	for path, body := range guardedRoutes(v.id()) {
		v.post(path, body).refused(401, "proof.needed")
	}
	second(v, theirs, "session").refused(409, "passkey.other")
	if v.whoami() != address {
		t.Errorf("a passkey of another account signs in as %q", v.whoami())
	}
	v.post("account/passkeys/begin", object{"account": v.id()}).refused(401, "proof.needed")
	token := v.cookie("session")
	second(v, key, "session").must(200)
	if v.cookie("session") == token {
		t.Error("the session token stays")
	}
	v.post("account/passkeys/begin", object{"account": v.id()}).must(200)
	second(s.visitor(), key, "session").refused(401, "session.required")

	// The same for a sign-in that waits.
	p := owner.enrol()
	waiting, flow := p.pending()
	second(waiting, theirs, flow).refused(409, "passkey.other")
	second(s.visitor(), key, flow).refused(404, "flow.unknown")
	if waiting.whoami() != "" {
		t.Error("a passkey of another account signs in")
	}
	used := waiting.ask()
	body := parts(key.Use(used))
	body["second"] = flow
	waiting.post("passkey", body).must(200)
	if waiting.whoami() != address {
		t.Errorf("%q is signed in", waiting.whoami())
	}
	waiting.post("passkey", body).refused(409, "passkey.expired")
}

func TestSEC324_APasswordJoinsNoProviderToAPasskey(t *testing.T) {
	announce(t)
	t.Parallel()
	s, provider := startWithIDP(t, true)
	owner, key := s.holder()
	address := owner.whoami()
	thief := s.visitor() // knows the password, and has an identity with the address
	claims := object{"sub": fresh("s"), "email": address, "email_verified": true}
	join := joinFlow(t, thief.continueWith(provider.says(claims)))
	next := thief.post("signin", object{"email": address, "password": good, "flow": join}).next()
	if n := s.count(`SELECT COUNT(*) FROM identity`); n != 0 || thief.whoami() != "" || !strings.HasPrefix(next, "/auth/mfa?flow=") {
		t.Errorf("the password joins %d identities, signs in as %q and leads to %s", n, thief.whoami(), next)
	}
	body := parts(key.Use(thief.ask()))
	body["second"] = strings.TrimPrefix(next, "/auth/mfa?flow=")
	thief.post("passkey", body).must(200)
	if n := s.count(`SELECT COUNT(*) FROM identity`); n != 1 || thief.whoami() != address {
		t.Errorf("with the passkey %d identities are joined, and %q is signed in", n, thief.whoami())
	}
	plain := s.visitor()
	plain.signIn(address, good).must(200)
	if plain.whoami() != address {
		t.Error("a sign-in that joins nothing asks for the passkey")
	}
}
