package issuer_test

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portico/internal/apptest"
	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/openid/openidtest"
)

// The client of the tests, by short names.
const (
	rpSecret = openidtest.Secret
	rpBack   = openidtest.Back
	verifier = openidtest.Verifier
)

var (
	ask        = openidtest.Request
	change     = openidtest.Change
	redemption = openidtest.Redemption
	refreshing = openidtest.Refresh
)

// site is a Portico with a confidential client "rp", a second one "other", a public
// one "spa", and a native one "native".
// Two have a key of their own: "keyed", and "fapi", which must push its requests.
// "modern" gets ID tokens that EdDSA signs.
// "bound" is like "fapi" and must prove at each request that it has a key.
// "robot" gets tokens for itself, "api" gets tokens in JWT form, and "jobs" is the
// server of https://jobs.test.
type site struct{ *apptest.Site }

func start(t *testing.T) *site { return startFor(t) }

// oldClient adds a client without PKCE, "old", whose ID tokens RS256 signs. Most tests
// do without it, since its RSA key takes a fifth of a second to make.
func oldClient(c *config.Config) {
	c.Clients = append(c.Clients, config.Client{
		ID: "old", IDTokenAlg: "RS256", Secret: "old " + rpSecret, RedirectURIs: []string{rpBack},
		Scopes: []string{"openid", "profile", "email", "groups"}, IDTokenClaims: []string{"email", "groups"},
	})
}

func startFor(t testing.TB, changes ...func(*config.Config)) *site {
	return &site{apptest.Start(t, append([]func(*config.Config){func(c *config.Config) {
		scopes := []string{"openid", "profile", "email", "groups"}
		c.Clients = []config.Client{
			{ID: "rp", IDTokenAlg: "ES256", Secret: rpSecret, RedirectURIs: []string{rpBack, "https://rp.test/q?x=1"}, Scopes: append(scopes, "offline_access"), PKCE: true},
			{ID: "other", IDTokenAlg: "ES256", Secret: "other " + rpSecret, RedirectURIs: []string{rpBack}, Scopes: scopes, PKCE: true},
			{ID: "spa", IDTokenAlg: "ES256", Public: true, RedirectURIs: []string{"https://spa.test/cb"}, Scopes: scopes, PKCE: true},
			{ID: "native", IDTokenAlg: "ES256", Public: true, RedirectURIs: []string{"http://127.0.0.1/cb", "com.example.app:/cb"}, Scopes: scopes, PKCE: true},
			{ID: "modern", IDTokenAlg: "EdDSA", Secret: "modern " + rpSecret, RedirectURIs: []string{rpBack}, Scopes: scopes, PKCE: true},
			{ID: "robot", IDTokenAlg: "ES256", Secret: rpSecret, Grants: []string{"client_credentials"}, OwnScopes: []string{"jobs:read", "jobs:write"}, Resources: []string{"https://jobs.test", "https://logs.test"}},
			{ID: "jobs", IDTokenAlg: "ES256", Secret: "jobs " + rpSecret, Serves: []string{"https://jobs.test"}},
			{ID: "api", IDTokenAlg: "ES256", Secret: rpSecret, AccessToken: "jwt", RedirectURIs: []string{rpBack}, Scopes: scopes, PKCE: true, Grants: []string{"authorization_code", "client_credentials"}, Resources: []string{"https://jobs.test", "https://logs.test"}},
			{ID: "fapi", IDTokenAlg: "ES256", Keys: clientKeys(t), RedirectURIs: []string{rpBack}, Scopes: append(scopes, "offline_access"), PKCE: true, RequirePAR: true},
			{ID: "bound", IDTokenAlg: "ES256", Keys: clientKeys(t), RedirectURIs: []string{rpBack}, Scopes: append(scopes, "offline_access"), PKCE: true, RequirePAR: true, DPoP: true},
			{ID: "keyed", IDTokenAlg: "ES256", Keys: clientKeys(t), RedirectURIs: []string{rpBack}, Scopes: scopes, PKCE: true},
		}
	}}, changes...)...)}
}

// payload returns the claims of a token as text.
func payload(t *testing.T, token string) string {
	t.Helper()
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("%q is no token", token)
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func flowCaller() flow.Caller { return flow.Caller{Locale: "en"} }

func authorize(q url.Values) string { return "/auth/openid/authorize?" + q.Encode() }

// signedIn returns a browser of a user.
func (s *site) signedIn(address string) *apptest.Browser {
	s.Helper()
	s.Person(address)
	b := s.Browser()
	b.SignIn(address)
	return b
}

// back returns the parameters with which the browser returns to a client.
func back(t *testing.T, p apptest.Page) url.Values {
	t.Helper()
	u, err := url.Parse(p.Next())
	if err != nil || p.StatusCode != http.StatusSeeOther || strings.HasPrefix(p.Next(), "/") {
		t.Fatalf("the browser is not sent back: %d %s %.300s", p.StatusCode, p.Next(), p.Body)
	}
	return u.Query()
}

// code returns a fresh code of the browser's user.
func (s *site) code(b *apptest.Browser, changes ...string) string {
	s.Helper()
	code := back(s.TB.(*testing.T), b.Open(authorize(ask(changes...)))).Get("code")
	if code == "" {
		s.Fatal("no code")
	}
	return code
}

// reply is the answer to a client.
type reply struct {
	*http.Response
	openidtest.Answer
	text string
}

// post sends a form as a server does: without Origin, without cookies.
func (s *site) post(path string, form url.Values, headers ...string) reply {
	s.Helper()
	return s.send("POST", path, form.Encode(), append([]string{"Content-Type", "application/x-www-form-urlencoded"}, headers...)...)
}

func (s *site) token(form url.Values) reply {
	s.Helper()
	return s.post("/auth/openid/token", form)
}

func (s *site) send(method, path, body string, headers ...string) reply {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), method, s.Origin+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return answered(s.TB, r)
}

// answered sends a request and returns the answer.
func answered(t testing.TB, r *http.Request) reply {
	t.Helper()
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	got := reply{Response: answer, text: string(text)}
	_ = json.Unmarshal(text, &got.Answer)
	return got
}

// userInfo returns the status and the answer for an access token.
func (s *site) userInfo(access string) reply {
	s.Helper()
	return s.send("GET", "/auth/openid/userinfo", "", "Authorization", "Bearer "+access)
}

// tokens returns the tokens of a fresh code.
func (s *site) tokens(b *apptest.Browser, changes ...string) reply {
	s.Helper()
	got := s.token(redemption(s.code(b, changes...)))
	if got.StatusCode != 200 || got.Access == "" || got.Refresh == "" || got.ID == "" {
		s.Fatalf("no tokens: %d %s", got.StatusCode, got.text)
	}
	return got
}

// wants expects an error of the standards.
func (s *site) wants(what string, got reply, status int, code string) {
	s.Helper()
	if got.StatusCode != status || got.Error != code {
		s.Errorf("%s: %d %s, want %d %s", what, got.StatusCode, got.text, status, code)
	}
}
