package issuer_test

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"portico/internal/apptest"
)

var hiddenField = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`)

// posted returns the parameters that a page posts to the redirect address of rp.
func posted(t *testing.T, p apptest.Page) url.Values {
	t.Helper()
	form, ok := strings.CutPrefix(p.Body[max(strings.Index(p.Body, "<form "), 0):], `<form method="post" action="`+rpBack+`">`)
	if p.StatusCode != 200 || p.Next() != "" || !ok || !strings.Contains(p.Header.Get("Cache-Control"), "no-store") {
		t.Fatalf("no form for the client: %d %s %.300s", p.StatusCode, p.Next(), p.Body)
	}
	values := url.Values{}
	for _, field := range hiddenField.FindAllStringSubmatch(form, -1) {
		values.Add(field[1], html.UnescapeString(field[2]))
	}
	return values
}

// The Foundation's plan Form Post has the modules of Basic with another response mode. Those
// are here that depend on it.
func TestFoundation_FormPost(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signedIn("mara@example.org")
	sends := func(t *testing.T, b *apptest.Browser, changes ...string) url.Values {
		t.Helper()
		got := posted(t, b.Open(authorize(ask(append(changes, "response_mode", "form_post")...))))
		if got.Get("state") != "s t&<a>" || got.Get("iss") != s.Origin || got.Has("code") == got.Has("error") {
			t.Errorf("%v: the client gets %v", changes, got)
		}
		return got
	}
	hint := s.tokens(b).ID
	for module, changes := range map[string][]string{
		"oidcc-ensure-request-without-nonce-succeeds-for-code-flow": {"nonce", ""},
		"oidcc-ensure-request-with-unknown-parameter-succeeds":      {"extra", "foobar"},
		"oidcc-ensure-request-with-acr-values-succeeds":             {"acr_values", "1 2"},
		"oidcc-ensure-other-scope-order-succeeds":                   {"scope", "email openid"},
		"oidcc-scope-all":             {"scope", "openid profile email address phone"},
		"oidcc-display-popup":         {"display", "popup"},
		"oidcc-prompt-none-logged-in": {"prompt", "none"},
		"oidcc-max-age-10000":         {"max_age", "10000"},
		"oidcc-id-token-hint":         {"prompt", "none", "id_token_hint", hint},
		"oidcc-login-hint":            {"login_hint", "mara@example.org"},
		"oidcc-ui-locales":            {"ui_locales", "se"},
		"oidcc-claims-locales":        {"claims_locales", "se"},
	} {
		t.Run(module, func(t *testing.T) {
			if got := sends(t, b, changes...); got.Get("code") == "" {
				t.Errorf("the client gets %v", got)
			}
		})
	}
	for module, tt := range map[string]struct {
		changes []string
		want    string
	}{
		"oidcc-response-type-missing": {[]string{"response_type", ""}, "invalid_request"},
		"oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported": {[]string{"request", "eyJhbGciOiJub25lIn0.e30."}, "request_not_supported"},
		"oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported":    {[]string{"request_uri", "https://rp.test/request"}, "request_uri_not_supported"},
	} {
		t.Run(module, func(t *testing.T) {
			if got := sends(t, b, tt.changes...); got.Get("error") != tt.want {
				t.Errorf("the client gets %v", got)
			}
		})
	}
	t.Run("oidcc-prompt-none-not-logged-in", func(t *testing.T) {
		if got := sends(t, s.Browser(), "prompt", "none"); got.Get("error") != "login_required" {
			t.Errorf("the client gets %v", got)
		}
	})
	t.Run("oidcc-ensure-registered-redirect-uri", func(t *testing.T) {
		if p := b.Open(authorize(ask("response_mode", "form_post", "redirect_uri", rpBack+"/other"))); p.StatusCode != 422 || strings.Contains(p.Body, rpBack) {
			t.Errorf("%d %s", p.StatusCode, p.Body)
		}
	})
	t.Run("oidcc-server", func(t *testing.T) {
		code := sends(t, b).Get("code")
		if got := s.token(redemption(code)); got.StatusCode != 200 || got.ID == "" {
			t.Errorf("%d %s", got.StatusCode, got.text)
		}
		s.wants("oidcc-codereuse", s.token(redemption(code)), 400, "invalid_grant")
	})
}

// Without script, the page says that the user is signed in only when it has a code.
func TestFormPost_Words(t *testing.T) {
	t.Parallel()
	s := start(t)
	const said = "<noscript><p>You&#39;re signed in."
	signedIn := s.signedIn("mara@example.org")
	if p := signedIn.Open(authorize(ask("response_mode", "form_post"))); !posted(t, p).Has("code") || !strings.Contains(p.Body, said) {
		t.Errorf("with a code: %s", p.Body)
	}
	for what, b := range map[string]*apptest.Browser{"a session": signedIn, "no session": s.Browser()} {
		p := b.Open(authorize(ask("response_mode", "form_post", "prompt", "none", "id_token_hint", "x")))
		if !posted(t, p).Has("error") || strings.Contains(p.Body, "<p>") || !strings.Contains(p.Body, "<button>Continue to rp.test</button>") {
			t.Errorf("%s: %s", what, p.Body)
		}
	}
}
