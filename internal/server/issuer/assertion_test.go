package issuer_test

import (
	"crypto/ed25519"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"portico/internal/config"
	"portico/internal/openid/openidtest"
)

// clientKey is the key of the client "keyed".
func clientKey() ed25519.PrivateKey { return ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)) }

func clientKeys(t testing.TB) string {
	t.Helper()
	text, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: clientKey().Public(), KeyID: "k1", Algorithm: "EdDSA", Use: "sig"}}})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// asserted replaces the secret of a form by an assertion of a client, with changed
// claims.
func (s *site) asserted(form url.Values, clientID string, changes ...any) url.Values {
	s.Helper()
	changed := map[string]any{}
	for i := 0; i < len(changes); i += 2 {
		changed[changes[i].(string)] = changes[i+1]
	}
	claims := openidtest.Assertion(s.Clock.Now(), clientID, s.Origin, changed)
	form.Del("client_secret")
	form.Set("client_id", clientID)
	form.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
	form.Set("client_assertion", openidtest.Sign(s, jose.EdDSA, clientKey(), claims, nil))
	return form
}

// A client with a key of its own gets tokens, and asks about them, without a secret.
func TestAssertion(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signedIn("mara@example.org")
	form := s.asserted(redemption(s.code(b, "client_id", "keyed")), "keyed", "aud", s.Origin+"/auth/openid/token")
	form.Del("client_id") // the assertion names the client
	got := s.token(form)
	if got.StatusCode != 200 || got.Access == "" {
		t.Fatalf("%d %s", got.StatusCode, got.text)
	}
	if info := s.post("/auth/openid/introspect", s.asserted(url.Values{"token": {got.Access}}, "keyed")); !info.Active {
		t.Errorf("introspection: %d %s", info.StatusCode, info.text)
	}
	next := s.token(s.asserted(refreshing(got.Refresh), "keyed"))
	if next.StatusCode != 200 {
		t.Errorf("a refresh: %d %s", next.StatusCode, next.text)
	}
	if a := s.post("/auth/openid/revoke", s.asserted(url.Values{"token": {next.Refresh}}, "keyed")); a.StatusCode != 200 || s.userInfo(next.Access).StatusCode != 401 {
		t.Errorf("revocation: %d", a.StatusCode)
	}
}

// A request proves in one way who its client is.
func TestAssertion_OneWay(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signedIn("mara@example.org")
	fresh := func(changes ...string) url.Values {
		return change(s.asserted(redemption(s.code(b, "client_id", "keyed")), "keyed"), changes...)
	}
	for what, tt := range map[string]struct {
		form url.Values
		want string
	}{
		"no proof":                  {fresh("client_assertion", "", "client_assertion_type", ""), "invalid_client"},
		"a secret":                  {fresh("client_assertion", "", "client_assertion_type", "", "client_secret", rpSecret), "invalid_client"},
		"an empty secret":           {url.Values{"client_id": {"keyed"}, "client_secret": {""}, "grant_type": {"refresh_token"}}, "invalid_client"},
		"a secret as well":          {fresh("client_secret", rpSecret), "invalid_request"},
		"a type alone":              {fresh("client_assertion", ""), "invalid_request"},
		"another type":              {fresh("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:saml2-bearer"), "invalid_client"},
		"no type":                   {fresh("client_assertion_type", ""), "invalid_request"},
		"another client_id":         {fresh("client_id", "rp"), "invalid_client"},
		"a client with a secret":    {s.asserted(redemption("x"), "rp"), "invalid_client"},
		"a public client":           {s.asserted(redemption("x"), "spa"), "invalid_client"},
		"a client that is not here": {s.asserted(redemption("x"), "nobody"), "invalid_client"},
	} {
		status := map[string]int{"invalid_client": 401, "invalid_request": 400}[tt.want]
		s.wants(what, s.token(tt.form), status, tt.want)
	}
	header := s.post("/auth/openid/token", fresh(), "Authorization", "Basic "+basic("keyed", rpSecret))
	s.wants("a header as well", header, 400, "invalid_request")
}

// The keys of a client may be at its own address.
func TestAssertion_PublishedKeys(t *testing.T) {
	t.Parallel()
	var up atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !up.Load() {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		_, _ = w.Write([]byte(clientKeys(t)))
	}))
	t.Cleanup(server.Close)
	s := startFor(t, func(c *config.Config) {
		for i := range c.Clients {
			if c.Clients[i].ID == "keyed" {
				c.Clients[i].Keys, c.Clients[i].KeysURI = "", server.URL+"/jwks"
			}
		}
	})
	b := s.signedIn("mara@example.org")
	down := s.token(s.asserted(redemption(s.code(b, "client_id", "keyed")), "keyed"))
	if down.StatusCode != 503 || down.Header.Get("Retry-After") == "" || down.Error != "" {
		t.Errorf("while the client is down: %d %s", down.StatusCode, down.text)
	}
	up.Store(true)
	s.Clock.Advance(10 * time.Second)
	if got := s.token(s.asserted(redemption(s.code(b, "client_id", "keyed")), "keyed")); got.StatusCode != 200 {
		t.Errorf("%d %s", got.StatusCode, got.text)
	}
}
