package security

import (
	"crypto/ed25519"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"portico/internal/config"
	"portico/internal/openid/openidtest"
)

// keyOf is the key of the client RP3 (rp3), which has no secret.
func keyOf() ed25519.PrivateKey { return ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)) }

func keySet(t testing.TB, public any) string {
	t.Helper()
	text, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: public, KeyID: "k"}}})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// withRP3 adds RP3, and RP4 with another key of the same id.
func withRP3(t *testing.T) option {
	other := openidtest.NewKey(t, jose.ES256)
	return func(c *config.Config) {
		for id, keys := range map[string]string{"rp3": keySet(t, keyOf().Public()), "rp4": keySet(t, other.Public())} {
			c.Clients = append(c.Clients, config.Client{
				ID: id, IDTokenAlg: "ES256", Keys: keys, RedirectURIs: []string{rpBack}, Scopes: []string{"openid", "email", "offline_access"}, PKCE: true,
			})
		}
	}
}

// statement is a valid assertion of RP3, with changed claims.
func (s *site) statement(changes object) object {
	return openidtest.Assertion(s.clock.Now(), "rp3", s.origin, changes)
}

func (s *site) assertion(changes object) string {
	return sign(s.T, jose.EdDSA, jose.JSONWebKey{Key: keyOf(), KeyID: "k"}, encode(s.statement(changes)))
}

// byAssertion is a form of RP3 with an assertion in place of a secret.
func byAssertion(form url.Values, assertion string) url.Values {
	return with(form, "client_secret", "", "client_id", "rp3", "client_assertion", assertion, "client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
}

// asks returns the answer to a question that only the client itself may ask.
func (s *site) asks(assertion string) rpAnswer {
	s.Helper()
	return s.rp("introspect", byAssertion(url.Values{"token": {"x"}}, assertion))
}

func TestSEC137_AssertionReplay(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, withRP3(t))
	for range rounds(2, 50) {
		once := s.assertion(nil)
		if won := race(20, func() bool { return s.asks(once).status == 200 }); won != 1 {
			t.Fatalf("one assertion proved %d times who the client is", won)
		}
	}
	once := s.assertion(nil)
	if a := s.asks(once); a.status != 200 {
		t.Fatalf("a valid assertion: %d %s", a.status, a.body)
	}
	s.refused("again at another endpoint", s.rp("token", byAssertion(refreshForm("x"), once)), "invalid_client")
	s.stop()
	s.run()
	s.refused("after a restart", s.asks(once), "invalid_client")

	once = s.assertion(nil)
	s.refused("a first use that fails", s.rp("token", byAssertion(codeForm("x"), once)), "invalid_grant")
	s.refused("after it", s.asks(once), "invalid_client")
	last := s.assertion(object{"exp": s.clock.Now().Add(5 * time.Minute).Unix()})
	if a := s.asks(last); a.status != 200 {
		t.Errorf("an assertion for five minutes: %d %s", a.status, a.body)
	}
	for range 7 { // until its end, and beyond
		s.clock.Advance(time.Minute)
		s.refused("before its end", s.asks(last), "invalid_client")
	}
}

func TestSEC310_ForgedAssertions(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, withRP3(t))
	stranger := openidtest.NewKey(t, jose.ES256)
	var asked atomic.Int32
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = w.Write([]byte(keySet(t, stranger.Public())))
	}))
	t.Cleanup(evil.Close)
	claims := func() string { return encode(s.statement(nil)) }
	pointing := func(name string, value any) string {
		return openidtest.Sign(t, jose.ES256, stranger, claims(), object{name: value})
	}
	public, _ := json.Marshal(jose.JSONWebKey{Key: keyOf().Public()})
	right := s.assertion(nil)
	for what, text := range map[string]string{
		"another key":              sign(t, jose.ES256, jose.JSONWebKey{Key: stranger, KeyID: "k"}, claims()),
		"a key in the header":      pointing("jwk", jose.JSONWebKey{Key: stranger.Public()}),
		"an address in the header": pointing("jku", evil.URL),
		"HMAC with the public key": sign(t, jose.HS256, jose.JSONWebKey{Key: append(public, make([]byte, 32)...), KeyID: "k"}, claims()),
		"no algorithm":             "eyJhbGciOiJub25lIn0" + right[strings.Index(right, "."):strings.LastIndex(right, ".")+1],
		"no signature":             right[:strings.LastIndex(right, ".")+1],
		"another client":           s.assertion(object{"iss": "rp4", "sub": "rp4"}),
		"another subject":          s.assertion(object{"sub": "rp"}),
		"another server":           s.assertion(object{"aud": "https://other.test"}),
		"the issuer in a list":     s.assertion(object{"aud": []string{s.origin}}),
		"a second audience":        s.assertion(object{"aud": []string{s.origin, "https://other.test"}}),
		"no audience":              s.assertion(object{"aud": nil}),
		"an hour":                  s.assertion(object{"exp": s.clock.Now().Add(time.Hour).Unix()}),
		"no end":                   s.assertion(object{"exp": nil}),
		"no jti":                   s.assertion(object{"jti": nil}),
		"an ID token":              s.visitor().register(fresh("v")).rpTokens().ID,
		"nothing":                  "",
	} {
		code := "invalid_client"
		if text == "" {
			code = "invalid_request"
		}
		form := byAssertion(url.Values{"token": {"x"}}, text)
		form.Set("client_assertion", text)
		s.refused(what, s.rp("introspect", form), code)
	}
	if asked.Load() > 0 {
		t.Error("Portico has asked for keys where an assertion said")
	}
	s.refused("with a secret as well", s.rp("introspect", with(byAssertion(url.Values{"token": {"x"}}, s.assertion(nil)), "client_secret", rpSecret)), "invalid_request")
	s.refused("for another client_id", s.rp("introspect", with(byAssertion(url.Values{"token": {"x"}}, s.assertion(nil)), "client_id", "rp")), "invalid_client")
	for _, secret := range []string{"", "x", rpSecret, keySet(t, keyOf().Public())} {
		form := url.Values{"token": {"x"}, "client_id": {"rp3"}, "client_secret": {secret}}
		s.refused("a secret in place of the key", s.rp("introspect", form), "invalid_client")
	}
	if a := s.asks(right); a.status != 200 {
		t.Errorf("the attempts have used up the right one: %d %s", a.status, a.body)
	}
}
