package issuer_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/internal/apptest"
	"portico/internal/flow"
)

// Modules of the OpenID Foundation's conformance plans Config, Basic, RP-Initiated
// Logout and Back-Channel Logout, by their names. Each checks what its module is
// about; the Foundation's own suite was not run.
// docs/integrating/conformance.md says which modules are missing, and why.
func TestFoundation(t *testing.T) {
	t.Parallel()
	s := startTold(t)
	b := s.signedIn("mara@example.org")
	run := func(module string, check func(t *testing.T)) { t.Run(module, check) }
	fails := func(t *testing.T, p apptest.Page, code string) {
		t.Helper()
		if got := back(t, p); got.Get("error") != code || got.Get("state") != "s t&<a>" || got.Has("code") {
			t.Errorf("the client gets %v, want %s", got, code)
		}
	}
	succeeds := func(t *testing.T, changes ...string) {
		t.Helper()
		if got := back(t, b.Open(authorize(ask(changes...)))); got.Get("code") == "" || got.Get("state") != "s t&<a>" || got.Get("iss") != s.Origin {
			t.Errorf("%v: the client gets %v", changes, got)
		}
	}
	run("oidcc-discovery-endpoint-verification", func(t *testing.T) {
		var known map[string]any
		if err := json.Unmarshal([]byte(s.send("GET", "/.well-known/openid-configuration", "").text), &known); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri", "end_session_endpoint", "revocation_endpoint", "introspection_endpoint"} {
			if at, _ := known[name].(string); !strings.HasPrefix(at, s.Origin+"/") {
				t.Errorf("%s is %q", name, at)
			}
		}
		if known["issuer"] != s.Origin || known["backchannel_logout_supported"] != true || known["backchannel_logout_session_supported"] != true || known["claims_parameter_supported"] != true || known["request_uri_parameter_supported"] != false {
			t.Errorf("the metadata is %v", known)
		}
	})
	for module, wants := range map[string][]string{
		"oidcc-rp-initiated-logout-discovery-endpoint-verification": {`"end_session_endpoint":"` + s.Origin + "/"},
		"oidcc-backchannel-logout-discovery-endpoint-verification":  {`"backchannel_logout_supported":true`, `"backchannel_logout_session_supported":true`},
	} {
		run(module, func(t *testing.T) {
			known := s.send("GET", "/.well-known/openid-configuration", "").text
			for _, want := range wants {
				if !strings.Contains(known, want) {
					t.Errorf("no %s in %s", want, known)
				}
			}
		})
	}
	run("oidcc-idtoken-signature", func(t *testing.T) {
		id := s.site.tokens(b).ID
		s.verified(id, "rp")
		head, err := base64.RawURLEncoding.DecodeString(strings.Split(id, ".")[0])
		if err != nil || !strings.Contains(string(head), `"kid":"`) || !strings.Contains(string(head), `"alg":"ES256"`) {
			t.Errorf("the header is %s", head)
		}
	})
	run("oidcc-response-type-missing", func(t *testing.T) { fails(t, b.Open(authorize(ask("response_type", ""))), "invalid_request") })
	run("oidcc-ensure-request-without-nonce-succeeds-for-code-flow", func(t *testing.T) {
		if claims := payload(t, s.site.tokens(b, "nonce", "").ID); strings.Contains(claims, "nonce") {
			t.Errorf("the ID token says %s", claims)
		}
	})
	run("oidcc-userinfo-get", func(t *testing.T) {
		if info := s.userInfo(s.site.tokens(b).Access); info.StatusCode != 200 || info.Sub == "" {
			t.Errorf("%d %s", info.StatusCode, info.text)
		}
	})
	run("oidcc-userinfo-post-header", func(t *testing.T) {
		if info := s.send("POST", "/auth/openid/userinfo", "", "Authorization", "Bearer "+s.site.tokens(b).Access); info.StatusCode != 200 || info.Sub == "" {
			t.Errorf("%d %s", info.StatusCode, info.text)
		}
	})
	run("oidcc-userinfo-post-body", func(t *testing.T) {
		access := s.site.tokens(b).Access
		if info := s.post("/auth/openid/userinfo", url.Values{"access_token": {access}}); info.StatusCode != 200 || info.Sub == "" {
			t.Errorf("%d %s", info.StatusCode, info.text)
		}
	})
	for module, scope := range map[string]string{"oidcc-scope-profile": "openid profile", "oidcc-scope-email": "openid email", "oidcc-scope-address": "openid address", "oidcc-scope-phone": "openid phone", "oidcc-scope-all": "openid profile email address phone"} {
		run(module, func(t *testing.T) { succeeds(t, "scope", scope) })
	}
	run("oidcc-claims-essential", func(t *testing.T) {
		if err := s.Operator.SetUserName(t.Context(), flow.ByOperator, s.Person("lina@example.org"), "Lina"); err != nil {
			t.Fatal(err)
		}
		other := s.Browser()
		other.SignIn("lina@example.org")
		got := s.site.tokens(other, "scope", "openid", "claims", `{"userinfo":{"name":{"essential":true}}}`)
		if info := s.userInfo(got.Access); !strings.Contains(info.text, `"name":"Lina"`) {
			t.Errorf("UserInfo: %s", info.text)
		}
	})
	run("oidcc-ensure-other-scope-order-succeeds", func(t *testing.T) { succeeds(t, "scope", "email openid") })
	run("oidcc-ensure-post-request-succeeds", func(t *testing.T) {
		path, query, _ := strings.Cut(authorize(ask()), "?")
		form, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		if got := back(t, b.Open(b.Send(path, form).Header.Get("Location"))); got.Get("code") == "" {
			t.Errorf("the client gets %v", got)
		}
	})
	for module, display := range map[string]string{"oidcc-display-page": "page", "oidcc-display-popup": "popup"} {
		run(module, func(t *testing.T) { succeeds(t, "display", display) })
	}
	run("oidcc-prompt-none-not-logged-in", func(t *testing.T) { fails(t, s.Browser().Open(authorize(ask("prompt", "none"))), "login_required") })
	run("oidcc-prompt-none-logged-in", func(t *testing.T) { succeeds(t, "prompt", "none") })
	run("oidcc-max-age-10000", func(t *testing.T) { succeeds(t, "max_age", "10000") })
	run("oidcc-max-age-1", func(t *testing.T) {
		s.Clock.Advance(2 * time.Second)
		if p := b.Open(authorize(ask("max_age", "1"))); !strings.HasPrefix(p.Next(), "/auth/signin?") {
			t.Errorf("the browser goes to %s", p.Next())
		}
	})
	run("oidcc-prompt-login", func(t *testing.T) {
		if p := b.Open(authorize(ask("prompt", "login"))); !strings.HasPrefix(p.Next(), "/auth/signin?") {
			t.Errorf("the browser goes to %s", p.Next())
		}
	})
	run("oidcc-ensure-request-with-unknown-parameter-succeeds", func(t *testing.T) { succeeds(t, "extra", "foobar") })
	run("oidcc-id-token-hint", func(t *testing.T) { succeeds(t, "prompt", "none", "id_token_hint", s.site.tokens(b).ID) })
	run("oidcc-login-hint", func(t *testing.T) { succeeds(t, "login_hint", "mara@example.org") })
	run("oidcc-ui-locales", func(t *testing.T) { succeeds(t, "ui_locales", "se") })
	run("oidcc-claims-locales", func(t *testing.T) { succeeds(t, "claims_locales", "se") })
	run("oidcc-ensure-request-with-acr-values-succeeds", func(t *testing.T) { succeeds(t, "acr_values", "1 2") })
	run("oidcc-ensure-request-with-valid-pkce-succeeds", func(t *testing.T) { s.site.tokens(b) })
	for module, wait := range map[string]time.Duration{"oidcc-codereuse": 0, "oidcc-codereuse-30seconds": 31 * time.Second} {
		run(module, func(t *testing.T) {
			code := s.code(b)
			first := s.token(redemption(code))
			s.Clock.Advance(wait)
			s.wants("again", s.token(redemption(code)), 400, "invalid_grant")
			if s.userInfo(first.Access).StatusCode != http.StatusUnauthorized {
				t.Error("the access token of the first use works")
			}
		})
	}
	run("oidcc-ensure-registered-redirect-uri", func(t *testing.T) {
		if p := b.Open(authorize(ask("redirect_uri", rpBack+"/other"))); p.StatusCode != 422 || p.Next() != "" {
			t.Errorf("%d %s", p.StatusCode, p.Next())
		}
	})
	run("oidcc-server-client-secret-post", func(t *testing.T) { s.site.tokens(b) })
	run("oidcc-server", func(t *testing.T) {
		form := redemption(s.code(b), "client_secret", "")
		r := s.post("/auth/openid/token", form, "Authorization", "Basic "+basic("rp", rpSecret))
		if r.StatusCode != 200 || r.ID == "" {
			t.Errorf("%d %s", r.StatusCode, r.text)
		}
	})
	run("oidcc-refresh-token", func(t *testing.T) {
		got := s.site.tokens(b)
		next := s.token(refreshing(got.Refresh))
		var before, after map[string]any
		_, _ = json.Unmarshal([]byte(payload(t, got.ID)), &before), json.Unmarshal([]byte(payload(t, next.ID)), &after)
		if next.StatusCode != 200 || before["sub"] != after["sub"] || before["iss"] != after["iss"] || before["aud"] != after["aud"] || before["auth_time"] != after["auth_time"] || after["nonce"] != nil {
			t.Errorf("%d: %v, before %v", next.StatusCode, after, before)
		}
	})
	run("oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported", func(t *testing.T) {
		fails(t, b.Open(authorize(ask("request", "eyJhbGciOiJub25lIn0.e30."))), "request_not_supported")
	})
	run("oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported", func(t *testing.T) {
		fails(t, b.Open(authorize(ask("request_uri", "https://rp.test/request"))), "request_uri_not_supported")
	})
	hint := s.site.tokens(b).ID
	run("oidcc-rp-initiated-logout-bad-post-logout-redirect-uri", func(t *testing.T) {
		stays(t, b, "id_token_hint", hint, "post_logout_redirect_uri", "https://rp.test/other", "state", "x")
	})
	run("oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri", func(t *testing.T) {
		stays(t, b, "id_token_hint", hint, "post_logout_redirect_uri", bye+"&foo=bar", "state", "x")
	})
	run("oidcc-rp-initiated-logout-modified-id-token-hint", func(t *testing.T) {
		stays(t, b, "id_token_hint", hint[:len(hint)-8]+"AAAAAAAA", "post_logout_redirect_uri", bye, "state", "x")
	})
	run("oidcc-rp-initiated-logout-bad-id-token-hint", func(t *testing.T) {
		stays(t, b, "id_token_hint", "x", "post_logout_redirect_uri", bye, "state", "x")
	})
	run("oidcc-rp-initiated-logout-no-id-token-hint", func(t *testing.T) { stays(t, b, "post_logout_redirect_uri", bye, "state", "x") })
	for module, tt := range map[string]struct {
		changes []string
		want    string
	}{
		"oidcc-rp-initiated-logout":                             {[]string{"id_token_hint", hint, "post_logout_redirect_uri", bye, "state", "x"}, bye + "&state=x"},
		"oidcc-rp-initiated-logout-no-state":                    {[]string{"id_token_hint", hint, "post_logout_redirect_uri", bye}, bye},
		"oidcc-rp-initiated-logout-no-post-logout-redirect-uri": {[]string{"id_token_hint", hint, "state", "x"}, "/auth/signed-out"},
		"oidcc-rp-initiated-logout-only-state":                  {[]string{"state", "x"}, "/auth/signed-out"},
		"oidcc-rp-initiated-logout-no-params":                   {nil, "/auth/signed-out"},
	} {
		run(module, func(t *testing.T) { leaves(t, b, tt.want, tt.changes...) })
	}
	run("oidcc-backchannel-rp-initiated-logout", func(t *testing.T) {
		other := s.signedIn("noor@example.org")
		id := s.verified(s.site.tokens(other).ID, "rp")
		leaves(t, other, bye, "client_id", "rp", "post_logout_redirect_uri", bye)
		for {
			if told := s.next("rp"); told["sub"] == id["sub"] {
				if told["sid"] != id["sid"] {
					t.Errorf("the client is told %v", told)
				}
				return
			}
		}
	})
}

// leaves signs the user out at the request of a client.
func leaves(t *testing.T, b *apptest.Browser, want string, changes ...string) {
	t.Helper()
	if b.Open("/auth/account").StatusCode != 200 {
		b.SignIn("mara@example.org")
	}
	var q question
	b.Boot(b.Open(logout(changes...)), &q)
	p := b.Send("/auth/openid/logout/confirm", url.Values{"account": {q.Session.ID}, "request": {q.Client.Request}})
	if q.Screen != "sign-out" || p.Next() != want {
		t.Errorf("the browser goes to %q, want %q", p.Next(), want)
	}
}

func basic(id, secret string) string {
	return base64.StdEncoding.EncodeToString([]byte(url.QueryEscape(id) + ":" + url.QueryEscape(secret)))
}

// stays expects the question without a way back to the client.
func stays(t *testing.T, b *apptest.Browser, changes ...string) {
	t.Helper()
	var q question
	if p := b.Open(logout(changes...)); p.StatusCode != 422 || p.Next() != "" {
		t.Errorf("%d %s", p.StatusCode, p.Next())
	} else if b.Boot(p, &q); q.Client.Request != "" {
		t.Errorf("the question leads back: %+v", q)
	}
}
