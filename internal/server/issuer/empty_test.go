package issuer_test

import (
	"encoding/base64"
	"net/url"
	"testing"
)

// A parameter without a value counts as omitted (RFC 6749 3.1 and 3.2).
func TestParameters_WithoutAValue(t *testing.T) {
	t.Parallel()
	s := startTold(t)
	b := s.signedIn("mara@example.org")
	for _, name := range []string{"prompt", "max_age", "claims", "id_token_hint", "request", "request_uri", "response_mode", "resource", "dpop_jkt", "nonce", "ui_locales"} {
		q := ask()
		q.Set(name, "")
		if got := back(t, b.Open(authorize(q))); got.Get("code") == "" {
			t.Errorf("%s: %v", name, got)
		}
	}
	q := ask()
	q.Set("response_type", "")
	if got := back(t, b.Open(authorize(q))); got.Get("error") != "invalid_request" {
		t.Errorf("response_type: %v", got)
	}
	q = ask()
	q["max_age"] = []string{"", ""}
	if got := back(t, b.Open(authorize(q))); got.Get("error") != "invalid_request" {
		t.Errorf("one that is there twice: %v", got)
	}

	form := redemption(s.code(b, "client_id", "spa", "redirect_uri", "https://spa.test/cb"), "client_id", "spa", "redirect_uri", "https://spa.test/cb")
	form["client_secret"], form["client_assertion"], form["resource"] = []string{""}, []string{""}, []string{""}
	if got := s.token(form); got.StatusCode != 200 {
		t.Errorf("the token request of a public client: %d %s", got.StatusCode, got.text)
	}
	form = redemption(s.code(b, "client_id", "spa", "redirect_uri", "https://spa.test/cb"), "client_id", "spa", "client_secret", "", "redirect_uri", "https://spa.test/cb")
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("spa:"))
	if got := s.send("POST", "/auth/openid/token", form.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Authorization", basic); got.StatusCode != 200 {
		t.Errorf("a public client with an empty secret in the header: %d %s", got.StatusCode, got.text)
	}
	form = refreshing("x")
	form.Set("refresh_token", "")
	s.wants("a refresh_token", s.token(form), 400, "invalid_request")

	farewell := url.Values{"client_id": {"rp"}, "post_logout_redirect_uri": {bye}, "id_token_hint": {""}, "state": {""}}
	if p := s.Browser().Open("/auth/openid/logout?" + farewell.Encode()); p.Next() != bye {
		t.Errorf("the sign-out: %d %s", p.StatusCode, p.Next())
	}
}
