package issuer_test

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/apptest"
	"portico/internal/config"
	"portico/internal/ids"
)

// fapi is a site with a user who is signed in, and the requests of the client "fapi".
type fapi struct {
	*site
	b *apptest.Browser
}

// pushes sends a request of the client, with changes as in ask, and changed claims of
// its assertion.
func (s fapi) pushes(changes []string, claims ...any) reply {
	s.Helper()
	form := ask(append([]string{"client_id", "fapi"}, changes...)...)
	return s.post("/auth/openid/par", s.asserted(form, "fapi", claims...))
}

// opens returns where the browser goes with what was pushed.
func (s fapi) opens(pushed reply) apptest.Page {
	s.Helper()
	return s.b.Open(pull("fapi", pushed.Name))
}

// code returns a code of a pushed request.
func (s fapi) code(t *testing.T, changes ...string) string {
	t.Helper()
	return back(t, s.opens(s.pushes(changes))).Get("code")
}

func (s fapi) exchange(code string, claims ...any) reply {
	s.Helper()
	return s.token(s.asserted(redemption(code), "fapi", claims...))
}

// Modules of the Foundation's plan fapi2-security-profile-final-test-plan, by their
// names without that beginning. See TestFoundation.
func TestFoundation_FAPI2(t *testing.T) {
	t.Parallel()
	s := fapi{site: start(t)}
	s.b = s.signedIn("mara@example.org")
	run := func(module string, check func(t *testing.T)) { t.Run(module, check) }
	stays := func(t *testing.T, p apptest.Page) {
		t.Helper()
		if p.StatusCode != 422 || p.Next() != "" {
			t.Errorf("%d %s", p.StatusCode, p.Next())
		}
	}
	succeeds := func(module string, changes ...string) {
		run(module, func(t *testing.T) {
			if got := s.exchange(s.code(t, changes...)); got.StatusCode != 200 || got.ID == "" {
				t.Errorf("%d %s", got.StatusCode, got.text)
			}
		})
	}
	refused := func(module, code string, changes ...string) {
		run(module, func(t *testing.T) { s.wants(module, s.pushes(changes), 400, code) })
	}
	unproven := func(module string, claims ...any) {
		run(module, func(t *testing.T) { s.wants(module, s.pushes(nil, claims...), 401, "invalid_client") })
	}
	at := func(d time.Duration) int64 { return s.Clock.Now().Add(d).Unix() }

	run("discovery-end-point-verification", func(t *testing.T) {
		var known map[string]any
		if err := json.Unmarshal([]byte(s.send("GET", "/.well-known/openid-configuration", "").text), &known); err != nil {
			t.Fatal(err)
		}
		if known["pushed_authorization_request_endpoint"] != s.Origin+"/auth/openid/par" || known["authorization_response_iss_parameter_supported"] != true || !strings.Contains(strings.Join(words(known["token_endpoint_auth_methods_supported"]), " "), "private_key_jwt") {
			t.Errorf("the metadata is %v", known)
		}
	})
	succeeds("happy-flow")
	succeeds("ensure-authorization-request-without-nonce-success", "nonce", "")
	succeeds("ensure-authorization-request-with-64-char-nonce-success", "nonce", strings.Repeat("n", 64))
	succeeds("ensure-other-scope-order-succeeds", "scope", "email openid")
	run("ensure-authorization-request-without-state-success", func(t *testing.T) {
		if got := back(t, s.opens(s.pushes([]string{"state", ""}))); got.Get("code") == "" || got.Has("state") || got.Get("iss") != s.Origin {
			t.Errorf("the client gets %v", got)
		}
	})
	run("ensure-authorization-request-with-long-state", func(t *testing.T) {
		long := strings.Repeat("s", 1000)
		if got := back(t, s.opens(s.pushes([]string{"state", long}))); got.Get("state") != long {
			t.Errorf("the client gets %v", got)
		}
	})
	run("ensure-authorization-request-with-long-nonce", func(t *testing.T) {
		long := strings.Repeat("n", 384)
		if got := s.exchange(s.code(t, "nonce", long)); !strings.Contains(payload(t, got.ID), `"nonce":"`+long+`"`) {
			t.Errorf("%d %s", got.StatusCode, got.text)
		}
	})
	refused("ensure-response-type-token-fails", "unsupported_response_type", "response_type", "token")
	refused("ensure-response-type-code-idtoken-fails", "unsupported_response_type", "response_type", "code id_token")
	refused("ensure-registered-redirect-uri", "invalid_request", "redirect_uri", rpBack+"/other")
	refused("ensure-redirect-uri-in-authorization-request", "invalid_request", "redirect_uri", "")
	refused("ensure-request-object-without-redirect-uri-fails", "invalid_request", "redirect_uri", "")
	refused("plain-fapi-tolerate-unregistered-redirect-uri", "invalid_request", "redirect_uri", "https://rp.test/unregistered")
	refused("par-ensure-pkce-required", "invalid_request", "code_challenge", "", "code_challenge_method", "")
	refused("par-plain-pkce-rejected", "invalid_request", "code_challenge_method", "plain")
	refused("par-authorization-request-containing-request_uri-form-param", "invalid_request", "request_uri", "urn:ietf:params:oauth:request_uri:x")
	run("ensure-unsigned-authorization-request-without-using-par-fails", func(t *testing.T) {
		if got := back(t, s.b.Open(authorize(ask("client_id", "fapi")))); got.Get("error") != "invalid_request" || got.Has("code") {
			t.Errorf("the client gets %v", got)
		}
	})
	run("par-attempt-invalid-http-method", func(t *testing.T) {
		if got := s.send("GET", "/auth/openid/par", ""); got.StatusCode != 405 {
			t.Errorf("%d", got.StatusCode)
		}
	})
	run("par-without-duplicate-parameters", func(t *testing.T) {
		if s.code(t) == "" {
			t.Error("no code")
		}
	})
	run("state-only-outside-request-object-not-used", func(t *testing.T) {
		p := s.b.Open(pull("fapi", s.pushes([]string{"state", ""}).Name) + "&state=outside")
		if got := back(t, p); got.Get("code") == "" || got.Has("state") {
			t.Errorf("the client gets %v", got)
		}
	})
	run("ensure-different-state-inside-and-outside-request-object", func(t *testing.T) {
		if got := back(t, s.b.Open(pull("fapi", s.pushes(nil).Name)+"&state=outside")); got.Get("code") == "" || got.Get("state") != "s t&<a>" {
			t.Errorf("the client gets %v", got)
		}
	})
	run("ensure-different-nonce-inside-and-outside-request-object", func(t *testing.T) {
		got := s.exchange(back(t, s.b.Open(pull("fapi", s.pushes(nil).Name)+"&nonce=outside")).Get("code"))
		if !strings.Contains(payload(t, got.ID), `"nonce":"n"`) {
			t.Errorf("%d %s", got.StatusCode, got.text)
		}
	})
	run("test-claims-parameter-identity-claims", func(t *testing.T) {
		got := s.exchange(s.code(t, "scope", "openid", "claims", `{"id_token":{"email":null},"userinfo":{"email":{"essential":true}}}`))
		for where, text := range map[string]string{"the ID token": payload(t, got.ID), "UserInfo": s.userInfo(got.Access).text} {
			if !strings.Contains(text, `"email":"mara@example.org"`) || strings.Contains(text, "preferred_username") {
				t.Errorf("%s: %s", where, text)
			}
		}
	})
	run("user-rejects-authentication", func(t *testing.T) {
		asks := fapi{site: startFor(t, func(c *config.Config) {
			c.Clients[slices.IndexFunc(c.Clients, func(c config.Client) bool { return c.ID == "fapi" })].Consent = true
		})}
		asks.b = asks.signedIn("mara@example.org")
		var page consentPage
		asks.b.Boot(asks.opens(asks.pushes(nil)), &page)
		if got := back(t, answers(asks.b, page, "deny")); got.Get("error") != "access_denied" || got.Get("state") != "s t&<a>" || got.Get("iss") != asks.Origin || got.Has("code") {
			t.Errorf("the client gets %v", got)
		}
	})
	run("par-attempt-reuse-request_uri", func(t *testing.T) {
		pushed := s.pushes(nil)
		s.opens(pushed)
		stays(t, s.opens(pushed))
	})
	run("par-ensure-reused-request-uri-prior-to-auth-completion-succeeds", func(t *testing.T) {
		pushed := s.pushes(nil)
		for range 2 {
			if p := s.Browser().Open(pull("fapi", pushed.Name)); !strings.HasPrefix(p.Next(), "/auth/signin?") {
				t.Errorf("%d %s", p.StatusCode, p.Next())
			}
		}
		if got := back(t, s.opens(pushed)); got.Get("code") == "" {
			t.Errorf("the client gets %v", got)
		}
	})
	run("par-attempt-to-use-expired-request_uri", func(t *testing.T) {
		pushed := s.pushes(nil)
		s.Clock.Advance(61 * time.Second)
		stays(t, s.opens(pushed))
	})
	run("par-attempt-to-use-request_uri-for-different-client", func(t *testing.T) {
		stays(t, s.b.Open(pull("rp", s.pushes(nil).Name)))
	})
	unproven("par-test-array-as-audience-fails", "aud", []string{s.Origin})
	unproven("par-test-par-endpoint-url-as-audience-fails", "aud", s.Origin+"/auth/openid/par")
	unproven("par-test-token-endpoint-url-as-audience-fails", "aud", s.Origin+"/auth/openid/token")
	run("par-ensure-jwt-client-assertions-nbf-8-seconds-in-the-future-is-accepted", func(t *testing.T) {
		if got := s.pushes(nil, "nbf", at(8*time.Second), "iat", at(8*time.Second)); got.StatusCode != 201 {
			t.Errorf("%d %s", got.StatusCode, got.text)
		}
	})
	run("par-ensure-jwt-client-assertions-nbf-over-60-seconds-in-the-future-fails", func(t *testing.T) {
		s.wants("nbf", s.pushes(nil, "nbf", at(65*time.Second)), 401, "invalid_client")
	})
	run("ensure-client-assertion-in-token-endpoint", func(t *testing.T) {
		s.wants("no assertion", s.token(redemption(s.code(t), "client_id", "fapi", "client_secret", "")), 401, "invalid_client")
	})
	for module, claims := range map[string]func() []any{
		"ensure-client-assertion-with-exp-is-5-minutes-in-past-fails": func() []any { return []any{"exp", at(-5 * time.Minute)} },
		"ensure-client-assertion-with-wrong-aud-fails":                func() []any { return []any{"aud", "https://rp.test"} },
		"ensure-client-assertion-with-no-sub-fails":                   func() []any { return []any{"sub", nil} },
	} {
		run(module, func(t *testing.T) { s.wants(module, s.exchange(s.code(t), claims()...), 401, "invalid_client") })
	}
	run("ensure-client-id-in-token-endpoint", func(t *testing.T) {
		s.wants("the id of another client", s.token(change(s.asserted(redemption(s.code(t)), "fapi"), "client_id", "keyed")), 401, "invalid_client")
	})
	run("ensure-authorization-code-is-bound-to-client", func(t *testing.T) {
		s.wants("another client", s.token(s.asserted(redemption(s.code(t)), "keyed", "jti", ids.New())), 400, "invalid_grant")
	})
	run("ensure-pkce-code-verifier-required", func(t *testing.T) {
		s.wants("no verifier", s.token(s.asserted(redemption(s.code(t), "code_verifier", ""), "fapi")), 400, "invalid_grant")
	})
	run("incorrect-pkce-code-verifier-rejected", func(t *testing.T) {
		s.wants("another verifier", s.token(s.asserted(redemption(s.code(t), "code_verifier", verifier+"x"), "fapi")), 400, "invalid_grant")
	})
	run("ensure-token-endpoint-fails-with-expired-auth-code", func(t *testing.T) {
		code := s.code(t)
		s.Clock.Advance(61 * time.Second)
		s.wants("an old code", s.exchange(code), 400, "invalid_grant")
	})
	run("attempt-reuse-authorization-code-after-one-second", func(t *testing.T) {
		code := s.code(t)
		first := s.exchange(code)
		s.Clock.Advance(time.Second)
		s.wants("again", s.exchange(code), 400, "invalid_grant")
		if s.userInfo(first.Access).StatusCode != 401 {
			t.Error("the access token of the first use works")
		}
	})
	run("access-token-type-header-case-sensitivity", func(t *testing.T) {
		access := s.exchange(s.code(t)).Access
		for _, scheme := range []string{"Bearer", "bearer", "BEARER"} {
			if got := s.send("GET", "/auth/openid/userinfo", "", "Authorization", scheme+" "+access); got.StatusCode != 200 {
				t.Errorf("%s: %d", scheme, got.StatusCode)
			}
		}
	})
	run("refresh-token", func(t *testing.T) {
		got := s.exchange(s.code(t, "scope", "openid offline_access"))
		if next := s.token(s.asserted(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {got.Refresh}}, "fapi")); next.StatusCode != 200 || next.Access == got.Access {
			t.Errorf("%d %s", next.StatusCode, next.text)
		}
		s.wants("of another client", s.token(s.asserted(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {got.Refresh}}, "keyed")), 400, "invalid_grant")
	})
}

func words(list any) (all []string) {
	items, _ := list.([]any)
	for _, item := range items {
		word, _ := item.(string)
		all = append(all, word)
	}
	return all
}
