package security

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	client "portico.internal/clients/go"
	"portico/internal/config"
	"portico/internal/openid/openidtest"
)

const (
	robotSecret = "a secret of robot with many characters"
	jobs        = "https://jobs.test"
	logs        = "https://logs.test"
)

// withRobot adds two clients that get tokens for themselves and for users, in JWT form
// and opaque, and the server of jobs.
func withRobot(c *config.Config) {
	both := []string{"authorization_code", "client_credentials"}
	for id, form := range map[string]string{"robot": "jwt", "robot2": "opaque"} {
		c.Clients = append(c.Clients, config.Client{
			ID: id, IDTokenAlg: "ES256", Secret: robotSecret, RedirectURIs: []string{rpBack}, Scopes: []string{"openid", "email"}, PKCE: true,
			Grants: both, AccessToken: form, OwnScopes: []string{"jobs:read"}, Resources: []string{jobs, logs},
		})
	}
	c.Clients = append(c.Clients, config.Client{ID: "server", IDTokenAlg: "ES256", Secret: "server " + robotSecret, Serves: []string{jobs}})
}

func (s *site) employ(id string, changes ...string) rpAnswer {
	s.Helper()
	return s.rp("token", with(url.Values{"grant_type": {"client_credentials"}, "client_id": {id}, "client_secret": {robotSecret}}, changes...))
}

// inspects reports whether the server of jobs learns that a token works.
func (s *site) inspects(token string) bool {
	s.Helper()
	return s.rp("introspect", url.Values{"token": {token}, "client_id": {"server"}, "client_secret": {"server " + robotSecret}}).Active
}

// robotTokens returns tokens of a user for a client of withRobot.
func (v *visitor) robotTokens(id string, changes ...string) rpAnswer {
	v.Helper()
	code := v.authorize(codeRequest(append([]string{"client_id", id, "scope", "openid email"}, changes...)...)).sentBack(rpBack).Get("code")
	got := v.rp("token", codeForm(code, "client_id", id, "client_secret", robotSecret))
	got.must(200)
	return got
}

func TestSEC139_AudienceAndAlgorithm(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, withRobot)
	v := s.visitor().register(fresh("v"))
	user, own := v.robotTokens("robot"), s.employ("robot", "resource", jobs)
	if !s.works(user.Access) || !s.inspects(own.Access) {
		t.Fatal("the right tokens do not work")
	}
	stranger, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	var set jose.JSONWebKeySet
	if err := json.Unmarshal([]byte(v.get("/.well-known/jwks.json").body), &set); err != nil || len(set.Keys) == 0 {
		t.Fatal(err)
	}
	public, _ := json.Marshal(set.Keys[0])
	change := func(token, name string, value any) string { // with the old signature
		parts := strings.Split(token, ".")
		var claims object
		_ = json.Unmarshal([]byte(payloadOf(t, token)), &claims)
		claims[name] = value
		return parts[0] + "." + base64URL(encode(claims)) + "." + parts[2]
	}
	typed := func(key any, alg jose.SignatureAlgorithm, payload string) string {
		return openidtest.Sign(t, alg, jose.JSONWebKey{Key: key, KeyID: set.Keys[0].KeyID}, payload, object{"typ": "at+jwt"})
	}
	for what, forge := range map[string]func(token string) string{
		"another key": func(token string) string { return typed(stranger, jose.ES256, payloadOf(t, token)) },
		"HMAC with the public key": func(token string) string {
			return typed(append(public, make([]byte, 32)...), jose.HS256, payloadOf(t, token))
		},
		"no algorithm": func(token string) string {
			return "eyJhbGciOiJub25lIiwidHlwIjoiYXQrand0In0" + token[strings.Index(token, "."):strings.LastIndex(token, ".")+1]
		},
		"no signature":     func(token string) string { return token[:strings.LastIndex(token, ".")+1] },
		"another audience": func(token string) string { return change(token, "aud", []string{jobs, s.origin}) },
		"a later end":      func(token string) string { return change(token, "exp", s.clock.Now().Add(time.Hour).Unix()) },
		"another client":   func(token string) string { return change(token, "client_id", "rp") },
	} {
		if s.works(forge(user.Access)) || s.inspects(forge(own.Access)) {
			t.Errorf("a token with %s is accepted", what)
		}
	}
	header, _, _ := strings.Cut(user.Access, ".")
	if head, _ := base64.RawURLEncoding.DecodeString(header); !strings.Contains(string(head), `"typ":"at+jwt"`) {
		t.Errorf("the header is %s", head)
	}
	// Each token counts only for its purpose and its server.
	if s.works(user.ID) || s.works(own.Access) || s.inspects(user.ID) || s.inspects(user.Access) {
		t.Error("a token is accepted for another purpose")
	}
	if other := v.robotTokens("robot", "resource", logs); s.works(other.Access) || s.inspects(other.Access) {
		t.Error("a token for one server is accepted by another")
	}
	if opaque := v.robotTokens("robot2", "resource", logs); s.works(opaque.Access) || s.inspects(opaque.Access) {
		t.Error("an opaque token for one server is accepted by another")
	}
	s.refused("an access token as an assertion", s.rp("introspect", with(url.Values{"token": {"x"}, "client_id": {"robot"}}, "client_assertion", user.Access, "client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")), "invalid_client")
	if a := v.authorize(codeRequest("id_token_hint", user.Access)); a.sentBack(rpBack).Get("error") != "invalid_request" {
		t.Errorf("an access token is a hint: %d %s", a.status, a.header.Get("Location"))
	}
	// Apps behind the gateway take tokens of the same keys.
	for what, token := range map[string]string{"an access token": user.Access, "a token of a client": own.Access, "an ID token": user.ID} {
		for _, audience := range []string{jobs, s.origin, "app"} {
			c, err := client.New(s.origin, client.Options{Audience: audience, Transport: toSite(s)})
			if err != nil {
				t.Fatal(err)
			}
			if who, err := c.Verify(t.Context(), token); err == nil {
				t.Errorf("%s is an identity for %s: %+v", what, audience, who)
			}
		}
	}
	s.clock.Advance(10*time.Minute + time.Second)
	if s.works(user.Access) || s.inspects(own.Access) {
		t.Error("a token works after ten minutes")
	}
}

func base64URL(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

// toSite sends every request to the site, whatever its host.
func toSite(s *site) http.RoundTripper { return s.visitor().transport }

func TestSEC312_TokensForClientsThemselves(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, withRobot)
	for what, a := range map[string]rpAnswer{
		"a client that only signs users in": s.employ("rp", "client_secret", rpSecret),
		"a public client":                   s.employ("spa", "client_secret", ""),
		"the server of a resource":          s.employ("server", "client_secret", "server "+robotSecret),
	} {
		s.refused(what, a, "unauthorized_client")
	}
	s.refused("a wrong secret", s.employ("robot", "client_secret", "wrong"), "invalid_client")
	for _, scope := range []string{"openid", "email", "jobs:read admin", "groups", "offline_access", "JOBS:READ"} {
		s.refused(scope, s.employ("robot", "scope", scope), "invalid_scope")
	}
	for _, resource := range []string{jobs + "/", "https://JOBS.test", "https://evil.test", s.origin, " " + jobs} {
		s.refused(resource, s.employ("robot", "resource", resource), "invalid_target")
	}
	for _, id := range []string{"robot", "robot2"} {
		got := s.employ(id, "resource", jobs)
		if got.Refresh != "" || got.ID != "" || s.works(got.Access) {
			t.Errorf("%s gets what belongs to users: %s", id, got.body)
		}
		own := url.Values{"token": {got.Access}, "client_id": {id}, "client_secret": {robotSecret}}
		s.rp("revoke", url.Values{"token": {got.Access}, "client_id": {"rp"}, "client_secret": {rpSecret}})
		s.rp("revoke", url.Values{"token": {got.Access}, "client_id": {"server"}, "client_secret": {"server " + robotSecret}})
		if !s.inspects(got.Access) {
			t.Error("another client has revoked the token")
		}
		if id == "robot2" {
			text, sum, _ := strings.Cut(got.Access, ".")
			for _, forged := range []string{text, text + ".", text + "." + sum[1:], base64URL(`{"jti":"x","sub":"robot2","aud":["https://jobs.test"],"exp":"2099-01-01T00:00:00Z"}`) + "." + sum} {
				if s.inspects(forged) {
					t.Errorf("%q is accepted", forged)
				}
			}
		}
		race(20, func() bool { return s.rp("revoke", own).status == 200 })
		if s.inspects(got.Access) {
			t.Error("the token works after it was revoked")
		}
		kept := s.employ(id, "resource", jobs)
		s.stop()
		s.run()
		if !s.inspects(kept.Access) || s.inspects(got.Access) {
			t.Error("a restart has changed which tokens work")
		}
	}
	last := s.employ("robot2", "resource", jobs)
	s.stop()
	for i := range s.config.Clients {
		s.config.Clients[i].Grants = nil
	}
	s.run()
	if s.inspects(last.Access) {
		t.Error("a client that may no longer has a token that works")
	}
}
