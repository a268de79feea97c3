package passkey_test

import (
	"context"
	"errors"
	"net/url"
	"testing"
	"time"

	"portico/internal/clock"
	"portico/internal/passkey"
	"portico/internal/passkey/passkeytest"
	"portico/internal/secret"
)

const (
	host   = "portico.test"
	origin = "https://portico.test"
	owner  = "01jd3k8v5q0000000000000000"
)

// spent is the part of the database that knows used challenges.
type spent struct {
	passkey.Store
	hashes map[string]bool
}

func (s spent) SpendTicket(_ context.Context, hash []byte, _ time.Time) (bool, error) {
	first := !s.hashes[string(hash)]
	s.hashes[string(hash)] = true
	return first, nil
}

func keeper(t testing.TB, c clock.Clock, related ...string) *passkey.Keeper {
	t.Helper()
	public, err := url.Parse(origin)
	if err != nil {
		t.Fatal(err)
	}
	k, err := passkey.NewKeeper(passkey.Config{Key: secret.NewKey(), Clock: c, Public: public, Site: "Portico", Related: related})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// made returns a passkey of the owner, with its authenticator.
func made(t testing.TB, k *passkey.Keeper, change ...func(*passkeytest.Authenticator)) (*passkeytest.Authenticator, passkey.Passkey, error) {
	t.Helper()
	a := passkeytest.New(host, origin, k.Handle(owner, nil))
	for _, c := range change {
		c(a)
	}
	creation, err := passkey.ParseCreation(a.Create(k.Challenge(passkey.Add, secret.Token(), "session")))
	if err != nil {
		return a, passkey.Passkey{}, err
	}
	p, err := k.Accept(creation, passkey.Add, owner, a.Handle)
	return a, p, err
}

func TestUsable(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"https://login.example.com": true, "http://localhost:8080": true, "http://id.localhost": true,
		"http://login.example.com": false, "https://192.0.2.1": false, "https://[2001:db8::1]": false, "http://127.0.0.1:8080": false,
	} {
		u, err := url.Parse(address)
		if err != nil || passkey.Usable(u) != want {
			t.Errorf("%s: %v, want %v", address, !want, want)
		}
	}
}

// SEC-038: a challenge is for one purpose, browser and subject, works once, and
// ends after five minutes.
func TestChallenge(t *testing.T) {
	t.Parallel()
	c := clock.NewManual(time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC))
	k, browser := keeper(t, c), secret.Token()
	tx := spent{hashes: map[string]bool{}}
	ch := k.Challenge(passkey.Add, browser, "session")
	if ch == k.Challenge(passkey.Add, browser, "session") {
		t.Error("two challenges are equal")
	}
	for name, spend := range map[string]func() error{
		"another purpose":       func() error { return k.Spend(t.Context(), tx, ch, passkey.SignIn, browser, "session") },
		"another browser":       func() error { return k.Spend(t.Context(), tx, ch, passkey.Add, secret.Token(), "session") },
		"no browser":            func() error { return k.Spend(t.Context(), tx, ch, passkey.Add, "", "session") },
		"another subject":       func() error { return k.Spend(t.Context(), tx, ch, passkey.Add, browser, "other") },
		"another site's key":    func() error { return keeper(t, c).Spend(t.Context(), tx, ch, passkey.Add, browser, "session") },
		"one that nobody made":  func() error { return k.Spend(t.Context(), tx, secret.Token(), passkey.Add, browser, "session") },
		"one with another tail": func() error { return k.Spend(t.Context(), tx, ch[:len(ch)-1], passkey.Add, browser, "session") },
	} {
		if err := spend(); !errors.Is(err, passkey.Refused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := k.Spend(t.Context(), tx, ch, passkey.Add, browser, "session"); err != nil {
		t.Fatal(err)
	}
	if err := k.Spend(t.Context(), tx, ch, passkey.Add, browser, "session"); !errors.Is(err, passkey.Expired) {
		t.Errorf("a second time: %v", err)
	}
	late := k.Challenge(passkey.SignIn, browser, "")
	c.Advance(passkey.Life)
	if err := k.Spend(t.Context(), tx, late, passkey.SignIn, browser, ""); !errors.Is(err, passkey.Expired) {
		t.Errorf("after five minutes: %v", err)
	}
	ahead := k.Challenge(passkey.SignIn, browser, "")
	c.Advance(-time.Hour)
	if err := k.Spend(t.Context(), tx, ahead, passkey.SignIn, browser, ""); !errors.Is(err, passkey.Expired) {
		t.Errorf("after the clock was set back: %v", err)
	}
}

func TestAccept(t *testing.T) {
	t.Parallel()
	k := keeper(t, clock.System{}, "https://example.net")
	_, p, err := made(t, k, func(a *passkeytest.Authenticator) { a.Flags |= passkeytest.Copies; a.Counter = 7 })
	if err != nil {
		t.Fatal(err)
	}
	if p.Name != "Bitwarden" || p.Model != passkeytest.Model || !p.Copies || p.Copied || p.Counter != 7 || p.Host != host || len(p.Transports) != 2 {
		t.Errorf("%+v", p)
	}
	if _, _, err := made(t, k, func(a *passkeytest.Authenticator) { a.Origin = "https://example.net" }); err != nil {
		t.Errorf("a related origin: %v", err)
	}
	rsa := func(alg byte, modulus int, exponent ...byte) []byte {
		n := make([]byte, modulus)
		n[0], n[modulus-1] = 0x80, 1
		key := []byte{0xa4, 0x01, 0x03, 0x03, 0x39, 0x01, alg, 0x20, 0x59, byte(modulus >> 8), byte(modulus)}
		return append(append(append(key, n...), 0x21, 0x40|byte(len(exponent))), exponent...)
	}
	if _, _, err := made(t, k, func(a *passkeytest.Authenticator) { a.COSE = rsa(0x00, 256, 1, 0, 1) }); err != nil {
		t.Errorf("RS256 with 2048 bits: %v", err)
	}
	for name, cose := range oddKeys() {
		if _, _, err := made(t, k, func(a *passkeytest.Authenticator) { a.COSE = cose }); !errors.Is(err, passkey.Refused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, change := range map[string]func(*passkeytest.Authenticator){
		"no user verification":  func(a *passkeytest.Authenticator) { a.Flags = passkeytest.Present },
		"no presence":           func(a *passkeytest.Authenticator) { a.Flags = passkeytest.Verified },
		"copied but not to be":  func(a *passkeytest.Authenticator) { a.Flags |= passkeytest.Copied },
		"another host":          func(a *passkeytest.Authenticator) { a.Host = "evil.test" },
		"another origin":        func(a *passkeytest.Authenticator) { a.Origin = "https://evil.test" },
		"in capitals":           func(a *passkeytest.Authenticator) { a.Origin = "https://PORTICO.test" },
		"a scheme in capitals":  func(a *passkeytest.Authenticator) { a.Origin = "HTTPS://portico.test" },
		"a default port":        func(a *passkeytest.Authenticator) { a.Origin = origin + ":443" },
		"an origin with a path": func(a *passkeytest.Authenticator) { a.Origin = origin + "/" },
		"an origin with a dot":  func(a *passkeytest.Authenticator) { a.Origin = origin + "." },
		"another port":          func(a *passkeytest.Authenticator) { a.Origin = origin + ":8443" },
		"http":                  func(a *passkeytest.Authenticator) { a.Origin = "http://" + host },
		"a name below":          func(a *passkeytest.Authenticator) { a.Origin = "https://app." + host },
		"the type of a sign-in": func(a *passkeytest.Authenticator) { a.Type = "webauthn.get" },
		"in a foreign frame":    func(a *passkeytest.Authenticator) { a.More = map[string]any{"crossOrigin": true} },
		"a foreign top page":    func(a *passkeytest.Authenticator) { a.More = map[string]any{"topOrigin": "https://evil.test"} },
		"an RSA key of 1024":    func(a *passkeytest.Authenticator) { a.COSE = rsa(0x00, 128, 1, 0, 1) },
		"an RSA key of 8192":    func(a *passkeytest.Authenticator) { a.COSE = rsa(0x00, 1024, 1, 0, 1) },
		"an RSA exponent of 1":  func(a *passkeytest.Authenticator) { a.COSE = rsa(0x00, 256, 1) },
		"RS512, not offered":    func(a *passkeytest.Authenticator) { a.COSE = rsa(0x02, 256, 1, 0, 1) },
		"an even RSA exponent":  func(a *passkeytest.Authenticator) { a.COSE = rsa(0x00, 256, 1, 0, 2) },
		"a statement of none":   func(a *passkeytest.Authenticator) { a.Statement = []byte{0xa1, 0x61, 'x', 0x01} },
		"packed, self-signed":   func(a *passkeytest.Authenticator) { a.Format, a.Statement = "packed", statement() },
		"packed, no statement":  func(a *passkeytest.Authenticator) { a.Format = "packed" },
		"fido-u2f, unsigned":    func(a *passkeytest.Authenticator) { a.Format, a.Statement = "fido-u2f", statement() },
		"fido-u2f, nothing":     func(a *passkeytest.Authenticator) { a.Format = "fido-u2f" },
		"an unknown format":     func(a *passkeytest.Authenticator) { a.Format = "x" },
		"a reserved flag":       func(a *passkeytest.Authenticator) { a.Flags |= 1 << 1 },
		"another reserved flag": func(a *passkeytest.Authenticator) { a.Flags |= 1 << 5 },
		"promised extensions":   func(a *passkeytest.Authenticator) { a.Flags |= 1 << 7 },
		"a name twice":          func(a *passkeytest.Authenticator) { a.Client = passkeytest.Twice },
		"a name in two cases":   func(a *passkeytest.Authenticator) { a.More = map[string]any{"Origin": origin} },
		"an id that is too long": func(a *passkeytest.Authenticator) {
			a.ID = make([]byte, 1024)
		},
	} {
		if _, _, err := made(t, k, change); !errors.Is(err, passkey.Refused) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	c := clock.NewManual(time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC))
	k := keeper(t, c)
	check := func(a *passkeytest.Authenticator, p passkey.Passkey) (passkey.Passkey, bool, error) {
		use, err := passkey.ParseUse(a.Use(k.Challenge(passkey.SignIn, secret.Token(), "")))
		if err != nil {
			return p, false, err
		}
		return k.Check(use, p)
	}
	a, p, err := made(t, k)
	if err != nil {
		t.Fatal(err)
	}
	a.Counter = 3
	c.Advance(time.Hour)
	used, suspect, err := check(a, p)
	if err != nil || suspect || used.Counter != 3 || !used.UsedAt.Equal(c.Now()) {
		t.Errorf("%+v, %v, %v", used, suspect, err)
	}
	for counter, want := range map[uint32]bool{4: false, 3: true, 2: true, 0: true} {
		a.Counter = counter
		if again, suspect, err := check(a, used); err != nil || suspect != want || again.Counter < 3 {
			t.Errorf("the counter %d after 3: suspect %v, %v, stored %d", counter, suspect, err, again.Counter)
		}
	}
	a.Counter = 0
	if _, suspect, err := check(a, p); err != nil || suspect {
		t.Errorf("an authenticator without a counter: suspect %v, %v", suspect, err)
	}
	// Whether a passkey is copied by now (BS) is kept up to date.
	b, shared, err := made(t, k, func(a *passkeytest.Authenticator) { a.Flags |= passkeytest.Copies })
	if err != nil || shared.Copied {
		t.Fatal(shared.Copied, err)
	}
	b.Flags |= passkeytest.Copied
	if shared, _, err = check(b, shared); err != nil || !shared.Copied {
		t.Errorf("after it was copied: %v, %v", shared.Copied, err)
	}
	b.Flags &^= passkeytest.Copied
	if shared, _, err = check(b, shared); err != nil || shared.Copied {
		t.Errorf("after the copies have gone: %v, %v", shared.Copied, err)
	}
	for name, change := range map[string]func(*passkeytest.Authenticator, *passkey.Passkey){
		"neither presence nor verification": func(a *passkeytest.Authenticator, _ *passkey.Passkey) { a.Flags = 0 },
		"no presence":                       func(a *passkeytest.Authenticator, _ *passkey.Passkey) { a.Flags = passkeytest.Verified },
		"it may be copied now":              func(a *passkeytest.Authenticator, _ *passkey.Passkey) { a.Flags |= passkeytest.Copies },
		"copied but not to be":              func(a *passkeytest.Authenticator, _ *passkey.Passkey) { a.Flags |= passkeytest.Copied },
		"another user's handle":             func(a *passkeytest.Authenticator, _ *passkey.Passkey) { a.Handle = k.Handle("other", nil) },
		"no handle":                         func(a *passkeytest.Authenticator, _ *passkey.Passkey) { a.Handle = nil },
		"another host":                      func(a *passkeytest.Authenticator, _ *passkey.Passkey) { a.Host = "evil.test" },
		"another origin":                    func(a *passkeytest.Authenticator, _ *passkey.Passkey) { a.Origin = "https://evil.test" },
		"the type of a creation":            func(a *passkeytest.Authenticator, _ *passkey.Passkey) { a.Type = "webauthn.create" },
		"another key":                       func(a *passkeytest.Authenticator, _ *passkey.Passkey) { a.Key = passkeytest.New(host, origin, nil).Key },
		"a reserved flag":                   func(a *passkeytest.Authenticator, _ *passkey.Passkey) { a.Flags |= 1 << 1 },
		"another reserved flag":             func(a *passkeytest.Authenticator, _ *passkey.Passkey) { a.Flags |= 1 << 5 },
		"promised extensions":               func(a *passkeytest.Authenticator, _ *passkey.Passkey) { a.Flags |= 1 << 7 },
		"a promised key":                    func(a *passkeytest.Authenticator, _ *passkey.Passkey) { a.Flags |= 1 << 6 },
		"a name twice":                      func(a *passkeytest.Authenticator, _ *passkey.Passkey) { a.Client = passkeytest.Twice },
		"a name in two cases": func(a *passkeytest.Authenticator, _ *passkey.Passkey) {
			a.More = map[string]any{"Origin": origin}
		},
		"no signature": func(a *passkeytest.Authenticator, _ *passkey.Passkey) {
			a.Sign = func([]byte) []byte { return []byte{0} }
		},
		"a passkey of the old host": func(_ *passkeytest.Authenticator, p *passkey.Passkey) { p.Host = "old.test" },
	} {
		wrong, held := *a, p
		change(&wrong, &held)
		if _, _, err := check(&wrong, held); !errors.Is(err, passkey.Refused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	bare := *a
	bare.Flags = passkeytest.Present
	if _, _, err := check(&bare, p); !errors.Is(err, passkey.Unproven) {
		t.Errorf("without user verification: %v", err)
	}
}

// Whether a passkey may be copied is taken from its first use if the former system did not tell, and from then on it stays.
func TestImport_Copies(t *testing.T) {
	t.Parallel()
	k := keeper(t, clock.NewManual(time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)))
	a := passkeytest.New(host, origin, []byte("handle"))
	yes, no := true, false
	for _, c := range []struct {
		told   *bool
		flags  []byte // beside presence and verification
		passes []bool
	}{
		{nil, []byte{0, 0, passkeytest.Copies}, []bool{true, true, false}},
		{nil, []byte{passkeytest.Copied, passkeytest.Copies | passkeytest.Copied, passkeytest.Copies, 0}, []bool{false, true, true, false}},
		{&no, []byte{passkeytest.Copies | passkeytest.Copied, 0}, []bool{false, true}},
		{&yes, []byte{0, passkeytest.Copies | passkeytest.Copied}, []bool{false, true}},
	} {
		p, err := k.Import("a", passkey.Foreign{
			Credential: secret.Encode(a.ID), PublicKey: secret.Encode(a.PublicKey()), Handle: secret.Encode(a.Handle), Copies: c.told, Copied: true,
		}, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		for i, flags := range c.flags {
			a.Flags = passkeytest.Present | passkeytest.Verified | flags
			use, err := passkey.ParseUse(a.Use(k.Challenge(passkey.SignIn, secret.Token(), "")))
			if err != nil && c.passes[i] {
				t.Fatal(err)
			}
			if err != nil {
				continue
			}
			used, _, err := k.Check(use, p)
			if (err == nil) != c.passes[i] {
				t.Errorf("told %v, use %d: %v", c.told, i, err)
			}
			if err == nil {
				p = used
			}
		}
	}
}

// statement returns an attestation statement with ES256 and a signature of nothing.
func statement() []byte {
	return []byte{0xa2, 0x63, 'a', 'l', 'g', 0x26, 0x63, 's', 'i', 'g', 0x43, 0x30, 0x01, 0x00}
}
