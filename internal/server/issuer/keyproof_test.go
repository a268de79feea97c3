package issuer_test

import (
	"crypto"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"portico/internal/openid/openidtest"
	"portico/internal/secret"
)

// holder is the key of a client, which it proves to have.
type holder struct {
	*site
	key crypto.Signer
}

func (s *site) holder() holder {
	s.Helper()
	return holder{s, openidtest.NewKey(s, jose.ES256)}
}

// thumbprint returns the name of the key in tokens.
func (k holder) thumbprint() string {
	k.Helper()
	return openidtest.Thumbprint(k, k.key)
}

// proof returns a proof for a request, with changed claims.
func (k holder) proof(method, path, access string, changes ...any) string {
	k.Helper()
	changed := map[string]any{}
	for i := 0; i < len(changes); i += 2 {
		changed[changes[i].(string)] = changes[i+1]
	}
	return openidtest.SignProof(k, jose.ES256, k.key, openidtest.Proof(k.Clock.Now(), method, k.Origin+path, access, changed), nil)
}

// token sends a form to the token endpoint with a proof.
func (k holder) token(form url.Values, changes ...any) reply {
	k.Helper()
	return k.post("/auth/openid/token", form, "DPoP", k.proof("POST", "/auth/openid/token", "", changes...))
}

func (k holder) userInfo(access string, changes ...any) reply {
	k.Helper()
	const path = "/auth/openid/userinfo"
	return k.send("GET", path, "", "Authorization", "DPoP "+access, "DPoP", k.proof("GET", path, access, changes...))
}

// shut expects that an access token opens nothing.
func (s *site) shut(what string, got reply, code string) {
	s.Helper()
	if got.StatusCode != 401 || got.Error != code || !strings.HasPrefix(got.Header.Get("Www-Authenticate"), "DPoP error=\""+code) && !strings.HasPrefix(got.Header.Get("Www-Authenticate"), "Bearer error=\""+code) {
		s.Errorf("%s: %d %s %q, want %s", what, got.StatusCode, got.text, got.Header.Values("Www-Authenticate"), code)
	}
}

// Tokens that were got with a proof work with proofs of the same key alone.
func TestKeyProof_BindsTokens(t *testing.T) {
	t.Parallel()
	s := start(t)
	b, k, thief := s.signedIn("mara@example.org"), s.holder(), s.holder()
	got := k.token(redemption(s.code(b)))
	if got.StatusCode != 200 || got.Type != "DPoP" {
		t.Fatalf("%d %s", got.StatusCode, got.text)
	}
	if info := k.userInfo(got.Access); info.StatusCode != 200 || info.Email != "mara@example.org" {
		t.Errorf("%d %s", info.StatusCode, info.text)
	}
	s.shut("as a bearer token", s.userInfo(got.Access), "invalid_token")
	s.shut("with another key", thief.userInfo(got.Access), "invalid_token")
	s.shut("without a proof", s.send("GET", "/auth/openid/userinfo", "", "Authorization", "DPoP "+got.Access), "invalid_dpop_proof")
	s.shut("with the proof of another token", k.userInfo(got.Access, "ath", secret.Encode(secret.Hash("x"))), "invalid_dpop_proof")
	s.shut("with a proof without a token", k.userInfo(got.Access, "ath", nil), "invalid_dpop_proof")
	s.shut("with a proof for another method", k.userInfo(got.Access, "htm", "POST"), "invalid_dpop_proof")
	plain := s.tokens(b)
	s.shut("a bearer token with a proof", k.userInfo(plain.Access), "invalid_token")
	info := s.post("/auth/openid/introspect", url.Values{"token": {got.Access}, "client_id": {"rp"}, "client_secret": {rpSecret}})
	if !info.Active || info.Type != "DPoP" || info.Cnf.Jkt != k.thumbprint() {
		t.Errorf("introspection: %s", info.text)
	}
	next := thief.token(refreshing(got.Refresh)) // the client has changed its key, and has its secret
	if next.StatusCode != 200 || thief.userInfo(next.Access).StatusCode != 200 || k.userInfo(got.Access).StatusCode != 200 {
		t.Errorf("a new key of a client with a secret: %d %s", next.StatusCode, next.text)
	}
	s.wants("a refresh without a proof", s.token(refreshing(next.Refresh)), 400, "invalid_dpop_proof")
	if again := thief.token(refreshing(got.Refresh)); again.Refresh != next.Refresh {
		t.Errorf("a lost answer that is asked for again: %d %s", again.StatusCode, again.text)
	}
}

// A public client proves nothing else, so its refresh tokens belong to the key.
func TestKeyProof_PublicClients(t *testing.T) {
	t.Parallel()
	s := start(t)
	b, k, thief := s.signedIn("mara@example.org"), s.holder(), s.holder()
	public := []string{"client_id", "spa", "client_secret", "", "redirect_uri", "https://spa.test/cb"}
	of := func(form url.Values) url.Values { return change(form, public[:4]...) }
	code := func() string { return s.code(b, "client_id", "spa", "redirect_uri", "https://spa.test/cb") }
	got := k.token(redemption(code(), public...))
	if got.StatusCode != 200 || got.Type != "DPoP" {
		t.Fatalf("%d %s", got.StatusCode, got.text)
	}
	s.wants("another key", thief.token(of(refreshing(got.Refresh))), 400, "invalid_grant")
	s.wants("no key", s.token(of(refreshing(got.Refresh))), 400, "invalid_dpop_proof")
	next := k.token(of(refreshing(got.Refresh)))
	if next.StatusCode != 200 || k.userInfo(next.Access).StatusCode != 200 {
		t.Errorf("the same key: %d %s", next.StatusCode, next.text)
	}
	// A grant that has begun without a key gets none.
	plain := s.token(redemption(code(), public...))
	s.wants("a key later", k.token(of(refreshing(plain.Refresh))), 400, "invalid_grant")
	if later := s.token(of(refreshing(plain.Refresh))); plain.Type != "Bearer" || later.Type != "Bearer" {
		t.Errorf("%s, then %s", plain.text, later.text)
	}
}

// Access tokens in JWT form, and tokens for clients themselves, name the key.
func TestKeyProof_JWT(t *testing.T) {
	t.Parallel()
	s := start(t)
	b, k := s.signedIn("mara@example.org"), s.holder()
	names := func(what string, got reply) {
		t.Helper()
		if !strings.Contains(payload(t, got.Access), `"cnf":{"jkt":"`+k.thumbprint()+`"}`) || got.Type != "DPoP" {
			t.Errorf("%s: %s", what, got.text)
		}
		info := s.post("/auth/openid/introspect", url.Values{"token": {got.Access}, "client_id": {"api"}, "client_secret": {rpSecret}})
		if !info.Active || info.Cnf.Jkt != k.thumbprint() || info.Type != "DPoP" {
			t.Errorf("%s: introspection: %s", what, info.text)
		}
	}
	user := k.token(redemption(s.code(b, "client_id", "api"), "client_id", "api"))
	names("of a user", user)
	if k.userInfo(user.Access).StatusCode != 200 {
		t.Error("UserInfo refuses the JWT")
	}
	s.shut("as a bearer token", s.userInfo(user.Access), "invalid_token")
	own := url.Values{"grant_type": {"client_credentials"}, "client_id": {"api"}, "client_secret": {rpSecret}}
	names("of the client", k.token(own))
	opaque := k.token(url.Values{"grant_type": {"client_credentials"}, "client_id": {"robot"}, "client_secret": {rpSecret}})
	info := s.post("/auth/openid/introspect", url.Values{"token": {opaque.Access}, "client_id": {"robot"}, "client_secret": {rpSecret}})
	if opaque.Type != "DPoP" || info.Cnf.Jkt != k.thumbprint() {
		t.Errorf("an opaque one: %s, %s", opaque.text, info.text)
	}
	once := k.proof("POST", "/auth/openid/token", "")
	for i, code := range []string{"", "invalid_dpop_proof"} {
		if got := s.post("/auth/openid/token", own, "DPoP", once); got.Error != code {
			t.Errorf("use %d of a proof: %d %s", i+1, got.StatusCode, got.text)
		}
	}
}

// Modules of the Foundation's plan about sender-constrained tokens, with the client
// "bound". See TestFoundation_FAPI2.
func TestFoundation_FAPI2_DPoP(t *testing.T) {
	t.Parallel()
	s := fapi{site: start(t)}
	s.b = s.signedIn("mara@example.org")
	k, other := s.holder(), s.holder()
	const par = "/auth/openid/par"
	pushes := func(proof string, changes ...string) reply {
		t.Helper()
		form := s.asserted(ask(append([]string{"client_id", "bound", "scope", "openid offline_access"}, changes...)...), "bound")
		if proof == "" {
			return s.post(par, form)
		}
		return s.post(par, form, "DPoP", proof)
	}
	code := func(t *testing.T, pushed reply) url.Values {
		t.Helper()
		got := back(t, s.b.Open(pull("bound", pushed.Name))).Get("code")
		return s.asserted(redemption(got), "bound")
	}
	fresh := func(t *testing.T) url.Values { t.Helper(); return code(t, pushes("")) }
	opens := func(t *testing.T, got reply) {
		t.Helper()
		if got.StatusCode != 200 || got.Type != "DPoP" || k.userInfo(got.Access).StatusCode != 200 {
			t.Errorf("%d %s", got.StatusCode, got.text)
		}
	}
	run := func(module string, check func(t *testing.T)) { t.Run(module, check) }

	run("happy-flow", func(t *testing.T) { opens(t, k.token(fresh(t))) })
	run("ensure-holder-of-key-required", func(t *testing.T) { s.wants("no proof", s.token(fresh(t)), 400, "invalid_dpop_proof") })
	run("check-dpop-proof-nbf-exp", func(t *testing.T) {
		opens(t, k.token(fresh(t), "nbf", s.Clock.Now().Unix(), "exp", s.Clock.Now().Add(5*time.Minute).Unix()))
	})
	for module, shift := range map[string]time.Duration{"ensure-dpopproof-with-iat-10seconds-before-succeeds": -10 * time.Second, "ensure-dpopproof-with-iat-10seconds-after-succeeds": 10 * time.Second} {
		run(module, func(t *testing.T) { opens(t, k.token(fresh(t), "iat", s.Clock.Now().Add(shift).Unix())) })
	}
	run("ensure-dpop-auth-code-binding-success", func(t *testing.T) {
		opens(t, k.token(code(t, pushes("", "dpop_jkt", k.thumbprint()))))
	})
	run("ensure-dpopproof-at-par-endpoint-binding-success", func(t *testing.T) {
		opens(t, k.token(code(t, pushes(k.proof("POST", par, "")))))
	})
	run("ensure-mismatched-dpop-jkt-fails", func(t *testing.T) {
		s.wants("two keys", pushes(k.proof("POST", par, ""), "dpop_jkt", other.thumbprint()), 400, "invalid_dpop_proof")
	})
	run("ensure-token-endpoint-fails-with-mismatched-dpop-jkt", func(t *testing.T) {
		s.wants("another key", other.token(code(t, pushes("", "dpop_jkt", k.thumbprint()))), 400, "invalid_grant")
	})
	run("ensure-token-endpoint-fails-with-mismatched-dpop-proof-jkt", func(t *testing.T) {
		s.wants("another key", other.token(code(t, pushes(k.proof("POST", par, "")))), 400, "invalid_grant")
	})
	run("dpop-negative-tests", func(t *testing.T) {
		for what, changes := range map[string][]any{
			"another method": {"htm", "GET"}, "another address": {"htu", s.Origin + par}, "no jti": {"jti", nil}, "no iat": {"iat", nil},
			"an old proof": {"iat", s.Clock.Now().Add(-time.Hour).Unix()}, "a proof of the future": {"iat", s.Clock.Now().Add(time.Hour).Unix()},
		} {
			s.wants(what, k.token(fresh(t), changes...), 400, "invalid_dpop_proof")
		}
		once := k.proof("POST", "/auth/openid/token", "")
		opens(t, s.post("/auth/openid/token", fresh(t), "DPoP", once))
		s.wants("a proof twice", s.post("/auth/openid/token", fresh(t), "DPoP", once), 400, "invalid_dpop_proof")
		two := s.post("/auth/openid/token", fresh(t), "DPoP", k.proof("POST", "/auth/openid/token", ""), "DPoP", k.proof("POST", "/auth/openid/token", ""))
		s.wants("two proofs", two, 400, "invalid_dpop_proof")
		bound := s.asserted(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {k.token(fresh(t)).Refresh}}, "bound")
		s.wants("a refresh without a proof", s.token(bound), 400, "invalid_dpop_proof")
	})
	run("refresh-token", func(t *testing.T) {
		got := k.token(fresh(t))
		opens(t, k.token(s.asserted(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {got.Refresh}}, "bound")))
	})
}

// A code for a key is of no use without it, also when the request was not pushed.
func TestKeyProof_CodeForAKey(t *testing.T) {
	t.Parallel()
	s := start(t)
	b, k, thief := s.signedIn("mara@example.org"), s.holder(), s.holder()
	code := s.code(b, "dpop_jkt", k.thumbprint())
	s.wants("without a proof", s.token(redemption(code)), 400, "invalid_dpop_proof")
	s.wants("with another key", thief.token(redemption(code)), 400, "invalid_grant")
	if got := k.token(redemption(code)); got.StatusCode != 200 {
		t.Errorf("the attempts have used it up: %d %s", got.StatusCode, got.text)
	}
	if got := back(t, b.Open(authorize(ask("dpop_jkt", "short")))); got.Get("error") != "invalid_request" {
		t.Errorf("no thumbprint: %v", got)
	}
	none := s.send("GET", "/auth/openid/userinfo", "")
	if got := strings.Join(none.Header.Values("Www-Authenticate"), "; "); none.StatusCode != 401 || got != `Bearer realm="portico"; DPoP algs="ES256 PS256 EdDSA"` {
		t.Errorf("without a token: %d %q", none.StatusCode, got)
	}
}
