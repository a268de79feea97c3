package issuer_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"portico/internal/ids"
)

// A refresh may ask for fewer scopes: for the tokens of this answer, not for later ones
// (RFC 6749 6).
func TestRefresh_FewerScopes(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signedIn("mara@example.org")
	first := s.tokens(b, "scope", "openid profile email offline_access")
	for asked, want := range map[string]string{"email": "openid email", "openid email": "openid email", "email email openid": "openid email"} {
		got := s.token(refreshing(first.Renew, "scope", asked))
		if got.StatusCode != 200 || got.Scope != want {
			t.Fatalf("%s: %d %s", asked, got.StatusCode, got.text)
		}
		for what, info := range map[string]reply{"from memory": s.userInfo(got.Access), "introspection": s.post("/auth/openid/introspect", change(refreshing(""), "token", got.Access))} {
			if info.StatusCode != 200 || strings.Contains(info.text, "profile") || what == "from memory" && strings.Contains(info.text, "preferred_username") || what == "introspection" && info.Scope != want {
				t.Errorf("%s, %s: %s", asked, what, info.text)
			}
		}
		if grant, _, _ := strings.Cut(got.Access, "."); ids.Valid(grant) { // a node of a version before these scopes takes it, with all scopes
			t.Errorf("%s: the token begins with a grant: %s", asked, got.Access)
		}
		if info := s.userInfo(first.Access); !strings.Contains(info.text, "preferred_username") {
			t.Errorf("the earlier token: %s", info.text)
		}
	}
	next := s.token(refreshing(s.token(refreshing(first.Renew)).Renew))
	if next.Scope != first.Scope || !strings.Contains(s.userInfo(next.Access).text, "preferred_username") {
		t.Errorf("the next refresh: %s", next.text)
	}

	k := s.holder()
	bound := k.token(redemption(s.code(b)))
	few := k.token(refreshing(bound.Renew, "scope", "openid"))
	const path = "/auth/openid/userinfo"
	info := s.send("GET", path, "", "Authorization", "DPoP "+few.Access, "DPoP", k.proof("GET", path, few.Access))
	if few.Type != "DPoP" || info.StatusCode != 200 || info.text != `{"sub":"`+info.Sub+`"}` {
		t.Errorf("with a key: %s %s", few.text, info.text)
	}
	api := s.token(redemption(s.code(b, "client_id", "api"), "client_id", "api"))
	few = s.token(refreshing(api.Renew, "client_id", "api", "scope", "openid"))
	if info := s.userInfo(few.Access); !strings.Contains(payload(t, few.Access), `"scope":"openid"`) || info.text != `{"sub":"`+info.Sub+`"}` {
		t.Errorf("in JWT form: %s %s", few.text, info.text)
	}
}

// Each missing parameter or proof of a client has the error that the standards name.
func TestErrors_OfWhatIsMissing(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, name := range []string{"code", "refresh_token", "device_code"} {
		grant := map[string]string{"code": "authorization_code", "refresh_token": "refresh_token", "device_code": "urn:ietf:params:oauth:grant-type:device_code"}[name]
		got := s.token(refreshing("", "grant_type", grant))
		s.wants("no "+name, got, 400, "invalid_request")
		if got.Header.Get("Cache-Control") != "no-store" || got.Header.Get("Pragma") != "no-cache" {
			t.Errorf("no %s: %v", name, got.Header)
		}
	}
	for _, path := range []string{"introspect", "revoke"} {
		s.wants(path+" without a token", s.post("/auth/openid/"+path, refreshing("")), 400, "invalid_request")
	}
	encode := func(text string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(text)) }
	for what, header := range map[string]string{"no Basic": "Bearer x", "no Base64": "Basic !", "no secret": encode("rp"), "no percent-encoding": encode("rp:50% off")} {
		got := s.post("/auth/openid/token", change(refreshing("x"), "client_secret", ""), "Authorization", header)
		if s.wants(what, got, 401, "invalid_client"); !strings.HasPrefix(got.Header.Get("Www-Authenticate"), "Basic realm=") {
			t.Errorf("%s: %v", what, got.Header)
		}
	}
}
