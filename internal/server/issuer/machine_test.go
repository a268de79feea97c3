package issuer_test

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2/clientcredentials"
)

// employ asks for a token for a client itself, with changes as in ask.
func (s *site) employ(clientID string, changes ...string) reply {
	s.Helper()
	return s.token(change(url.Values{"grant_type": {"client_credentials"}, "client_id": {clientID}, "client_secret": {rpSecret}}, changes...))
}

// inspect asks about a token as the server of https://jobs.test.
func (s *site) inspect(token string) reply {
	s.Helper()
	return s.post("/auth/openid/introspect", url.Values{"token": {token}, "client_id": {"jobs"}, "client_secret": {"jobs " + rpSecret}})
}

func TestClientCredentials(t *testing.T) {
	t.Parallel()
	s := start(t)
	got := s.employ("robot")
	if got.StatusCode != 200 || got.Access == "" || got.Refresh != "" || got.ID != "" || got.Scope != "jobs:read jobs:write" || got.Left != 600 || got.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%d %s", got.StatusCode, got.text)
	}
	own := func(token string) reply {
		return s.post("/auth/openid/introspect", url.Values{"token": {token}, "client_id": {"robot"}, "client_secret": {rpSecret}})
	}
	if state := own(got.Access); !state.Active || state.Sub != "robot" || state.Scope != "jobs:read jobs:write" || state.Aud != nil {
		t.Errorf("the client learns %s", state.text)
	}
	if state := s.inspect(got.Access); state.Active {
		t.Errorf("a server that the token is not for learns %s", state.text)
	}
	if s.userInfo(got.Access).StatusCode != 401 {
		t.Error("UserInfo accepts a token without a user")
	}
	some := s.employ("robot", "scope", "jobs:read", "resource", "https://jobs.test")
	if state := s.inspect(some.Access); some.Scope != "jobs:read" || !state.Active || state.Client != "robot" || !slices.Equal(state.Aud, []string{"https://jobs.test"}) {
		t.Errorf("the server learns %s about %s", state.text, some.text)
	}
	if state := s.inspect(s.employ("robot", "resource", "https://logs.test").Access); state.Active {
		t.Errorf("another server learns %s", state.text)
	}
	s.wants("another scope", s.employ("robot", "scope", "jobs:read admin"), 400, "invalid_scope")
	s.wants("a scope so often that the token would be too long", s.employ("robot", "scope", strings.Repeat("jobs:read ", 700)), 400, "invalid_scope")
	s.wants("a scope about users", s.employ("robot", "scope", "openid"), 400, "invalid_scope")
	s.wants("another resource", s.employ("robot", "resource", "https://jobs.test/"), 400, "invalid_target")
	s.wants("a client that signs users in", s.employ("rp"), 400, "unauthorized_client")
	s.wants("a public client", s.employ("spa", "client_secret", ""), 400, "unauthorized_client")
	s.wants("a wrong secret", s.employ("robot", "client_secret", "wrong"), 401, "invalid_client")
	s.wants("a code", s.token(redemption("x", "client_id", "robot")), 400, "unauthorized_client")

	s.wants("revoked by another client", s.post("/auth/openid/revoke", url.Values{"token": {some.Access}, "client_id": {"rp"}, "client_secret": {rpSecret}}), 400, "invalid_grant")
	if !s.inspect(some.Access).Active {
		t.Error("another client has revoked the token")
	}
	s.post("/auth/openid/revoke", url.Values{"token": {some.Access}, "client_id": {"robot"}, "client_secret": {rpSecret}})
	if s.inspect(some.Access).Active || !own(got.Access).Active {
		t.Error("not the revoked token, and that alone, has ended")
	}
	s.Clock.Advance(10*time.Minute + time.Second)
	if own(got.Access).Active {
		t.Error("the token works after ten minutes")
	}
}

// A library of others gets a token for a client.
func TestClientCredentials_Library(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := clientcredentials.Config{ClientID: "robot", ClientSecret: rpSecret, TokenURL: s.Origin + "/auth/openid/token", Scopes: []string{"jobs:write"}}
	if got, err := c.Token(t.Context()); err != nil || got.AccessToken == "" || got.TokenType != "Bearer" {
		t.Errorf("%+v, %v", got, err)
	}
}

// The access token of a grant is for the resources of the request, or for some of them.
func TestResources(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signedIn("mara@example.org")
	both := func(q url.Values) url.Values {
		q["resource"] = []string{"https://jobs.test", "https://logs.test"}
		return q
	}
	code := back(t, b.Open(authorize(both(ask("client_id", "api"))))).Get("code")
	got := s.token(redemption(code, "client_id", "api"))
	claims := func(token string) (c map[string]any) {
		if err := json.Unmarshal([]byte(payload(t, token)), &c); err != nil {
			t.Fatal(err)
		}
		return c
	}
	if aud := words(claims(got.Access)["aud"]); !slices.Equal(aud, []string{"https://jobs.test", "https://logs.test"}) {
		t.Errorf("the token is for %v", aud)
	}
	if state := s.inspect(got.Access); !state.Active || len(state.Aud) != 2 {
		t.Errorf("the server learns %s", state.text)
	}
	if s.userInfo(got.Access).StatusCode != 401 {
		t.Error("a token for other servers opens UserInfo")
	}
	form := func(token string, more ...string) url.Values {
		return refreshing(token, append([]string{"client_id", "api"}, more...)...)
	}
	one := s.token(form(got.Refresh, "resource", "https://logs.test"))
	if aud := words(claims(one.Access)["aud"]); !slices.Equal(aud, []string{"https://logs.test"}) || s.inspect(one.Access).Active {
		t.Errorf("the narrow token is for %v", aud)
	}
	if again := s.token(form(one.Refresh)); len(words(claims(again.Access)["aud"])) != 2 {
		t.Errorf("a narrow token has narrowed the grant: %s", again.text)
	}
	s.wants("a resource that was not granted", s.token(form(s.token(redemption(back(t, b.Open(authorize(ask("client_id", "api", "resource", "https://jobs.test")))).Get("code"), "client_id", "api")).Refresh, "resource", "https://logs.test")), 400, "invalid_target")
	if got := back(t, b.Open(authorize(ask("client_id", "api", "resource", "https://evil.test")))); got.Get("error") != "invalid_target" {
		t.Errorf("a resource that the client may not have: %v", got)
	}
	if got := back(t, b.Open(authorize(ask("resource", "https://jobs.test")))); got.Get("error") != "invalid_target" {
		t.Errorf("a client without resources: %v", got)
	}
}

// An access token in JWT form is verified by its server alone (RFC 9068), and by
// Portico like an opaque one.
func TestAccessToken_JWT(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signedIn("mara@example.org")
	ctx := oidc.InsecureIssuerURLContext(t.Context(), s.Origin)
	provider, err := oidc.NewProvider(ctx, s.Origin)
	if err != nil {
		t.Fatal(err)
	}
	fresh := func(changes ...string) reply {
		got := s.token(redemption(s.code(b, append([]string{"client_id", "api"}, changes...)...), "client_id", "api"))
		if got.StatusCode != 200 {
			t.Fatalf("%d %s", got.StatusCode, got.text)
		}
		return got
	}
	got := fresh("scope", "openid groups")
	verified, err := provider.Verifier(&oidc.Config{ClientID: s.Origin, Now: s.Clock.Now}).Verify(ctx, got.Access)
	if err != nil {
		t.Fatal(err)
	}
	var claims struct {
		ClientID string   `json:"client_id"`
		Scope    string   `json:"scope"`
		Groups   []string `json:"groups"`
		ACR      string   `json:"acr"`
		Email    string   `json:"email"`
	}
	info := s.userInfo(got.Access)
	if err := verified.Claims(&claims); err != nil || claims.ClientID != "api" || claims.Scope != "openid groups" || claims.Groups == nil || claims.ACR != "1" || claims.Email != "" || info.StatusCode != 200 || info.Sub != verified.Subject {
		t.Errorf("the token says %+v (%v), UserInfo %s", claims, err, info.text)
	}
	robot := s.employ("api", "resource", "https://jobs.test")
	if strings.Contains(payload(t, robot.Access), "scope") {
		t.Errorf("a token without scopes has an empty scope: %s", payload(t, robot.Access))
	}
	if state := s.inspect(robot.Access); !state.Active || state.Sub != "api" || strings.Count(robot.Access, ".") != 2 {
		t.Errorf("the token of the client itself: %s", state.text)
	}
	own := func(path, token string) reply {
		return s.post(path, url.Values{"token": {token}, "client_id": {"api"}, "client_secret": {rpSecret}})
	}
	for _, token := range []string{fresh().Access, robot.Access} {
		if !own("/auth/openid/introspect", token).Active {
			t.Error("the token does not work")
		}
		own("/auth/openid/revoke", token)
		if own("/auth/openid/introspect", token).Active {
			t.Error("the token works after it was revoked")
		}
	}
	last := fresh()
	b.Send("/auth/signout", nil)
	if s.userInfo(last.Access).StatusCode != 401 || own("/auth/openid/introspect", last.Access).Active {
		t.Error("the token works after the user has signed out")
	}
}
