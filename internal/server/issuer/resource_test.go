package issuer_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/internal/config"
	"portico/internal/flow"
)

// startTools starts a site with an app "tools" below /tools that takes access tokens,
// and an app "wiki" below /wiki that does not. Both answer with what they learn.
func startTools(t *testing.T, p *published) *site {
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Told", r.Header.Get("X-Portico-Token"))
		_, _ = fmt.Fprintf(w, "%s|%s|%s", r.Header.Get("X-Portico-Email"), r.Header.Get("Authorization"), r.URL.Path)
	}))
	t.Cleanup(app.Close)
	upstream, _ := url.Parse(app.URL)
	return startFor(t, func(c *config.Config) {
		c.OpenID.ClientDocuments, c.OpenID.ClientOrigins = true, []string{p.URL}
		rules := []string{"public /tools/open/*", "role:admin /tools/admin/*", "mfa /tools/strong/*", "signed-in /tools/*"}
		c.Apps = []config.App{
			{Name: "tools", Path: "/tools", Upstream: upstream, Rules: rules, AccessTokens: true, Key: "app.1"},
			{Name: "wiki", Path: "/wiki", Upstream: upstream, Key: "app.2"},
		}
	})
}

// A program that knows the address of an app alone finds the way to a token for it.
func TestResource_FromNothing(t *testing.T) {
	t.Parallel()
	p := publish(t, nil)
	s := startTools(t, p)
	b := s.signedIn("mara@example.org")

	refused := s.send("POST", "/tools/call", "{}", "Accept", "application/json, text/event-stream")
	_, rest, _ := strings.Cut(refused.Header.Get("Www-Authenticate"), `Bearer resource_metadata="`)
	address, _, ok := strings.Cut(rest, `"`)
	if refused.StatusCode != 401 || !ok || address != s.Origin+"/.well-known/oauth-protected-resource/tools" {
		t.Fatalf("refused: %d %v", refused.StatusCode, refused.Header)
	}
	var described struct {
		Resource string   `json:"resource"`
		Servers  []string `json:"authorization_servers"`
	}
	got := s.send("GET", strings.TrimPrefix(address, s.Origin), "")
	if json.Unmarshal([]byte(got.text), &described) != nil || described.Resource != s.Origin+"/tools" || len(described.Servers) != 1 || described.Servers[0] != s.Origin {
		t.Fatalf("the metadata: %d %s", got.StatusCode, got.text)
	}
	before := s.send("OPTIONS", strings.TrimPrefix(address, s.Origin), "", "Origin", "https://any.test", "Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", "mcp-protocol-version")
	if before.StatusCode != 204 || before.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("a page asks before it reads the metadata: %d %v", before.StatusCode, before.Header)
	}
	page := s.asked(b, p.asks("scope", "openid", "resource", described.Resource)...)
	if last := page.Client.Scopes[len(page.Client.Scopes)-1]; last.Text != "Access to "+described.Resource+" on your behalf" {
		t.Errorf("the page names %+v", page.Client.Scopes)
	}
	tokens := s.token(redemption(back(t, answers(b, page, "allow")).Get("code"), "client_id", p.id, "client_secret", "", "redirect_uri", "http://127.0.0.1:7777/cb", "resource", described.Resource))
	call := func(path string, headers ...string) reply {
		return s.send("GET", path, "", append([]string{"Authorization", "Bearer " + tokens.Access}, headers...)...)
	}
	if got := call("/tools/call"); got.text != "mara@example.org||/tools/call" {
		t.Errorf("with a token: %d %s", got.StatusCode, got.text)
	}
	for path, want := range map[string]string{"/tools/admin/x": "403 ", "/tools/strong/x": `401 Bearer resource_metadata="` + address + `", error="insufficient_user_authentication", acr_values="2"`} {
		got := call(path)
		if said := fmt.Sprintf("%d %s", got.StatusCode, got.Header.Get("Www-Authenticate")); said != want {
			t.Errorf("%s: %s, want %s", path, said, want)
		}
	}
	if got := s.send("GET", "/tools/open/x", "", "Authorization", "Bearer of-the-app"); got.text != "|Bearer of-the-app|/tools/open/x" {
		t.Errorf("a public path: %d %s", got.StatusCode, got.text)
	}
	if info := s.userInfo(tokens.Access); info.StatusCode != 401 {
		t.Errorf("UserInfo: %d", info.StatusCode)
	}
	b.Send("/auth/signout", url.Values{})
	if got := call("/tools/call"); got.StatusCode != 401 || !strings.Contains(got.Header.Get("Www-Authenticate"), `error="invalid_token"`) {
		t.Errorf("after the sign-out: %d %v", got.StatusCode, got.Header)
	}
}

// After a refresh, the app gets a token that lasts as long as the new access token, and no longer than the account.
func TestResource_AfterRefresh(t *testing.T) {
	t.Parallel()
	p := publish(t, nil)
	s := startTools(t, p)
	b := s.signedIn("mara@example.org")
	resource := s.Origin + "/tools"
	code := back(t, answers(b, s.asked(b, p.asks("scope", "openid", "resource", resource)...), "allow")).Get("code")
	tokens := s.token(redemption(code, "client_id", p.id, "client_secret", "", "redirect_uri", "http://127.0.0.1:7777/cb", "resource", resource))
	left := func(access string) time.Duration {
		var told struct{ Exp int64 }
		got := s.send("GET", "/tools/call", "", "Authorization", "Bearer "+access)
		if err := json.Unmarshal([]byte(payload(t, got.Header.Get("Told"))), &told); err != nil {
			t.Fatal(err)
		}
		return time.Unix(told.Exp, 0).Sub(s.Clock.Now()).Round(time.Minute)
	}
	s.Clock.Advance(9 * time.Minute)
	if d := left(tokens.Access); d != time.Minute {
		t.Errorf("before the refresh: %s", d)
	}
	next := s.token(refreshing(tokens.Refresh, "client_id", p.id, "client_secret", ""))
	if d := left(next.Access); d != 5*time.Minute {
		t.Errorf("after it: %s", d)
	}
	if d := left(tokens.Access); d != time.Minute {
		t.Errorf("after it, with the former token: %s", d)
	}
	mara, err := s.Operator.User(t.Context(), "mara@example.org")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Operator.SetUserEnd(t.Context(), flow.ByOperator, mara.ID, s.Clock.Now().Add(2*time.Minute)); err != nil {
		t.Fatal(err)
	}
	if d := left(next.Access); d != 2*time.Minute {
		t.Errorf("with the end of the account: %s", d)
	}
}

// An app without the setting is as it was, and a browser is sent to the sign-in page.
func TestResource_OnlyWhereAsked(t *testing.T) {
	t.Parallel()
	s := startTools(t, publish(t, nil))
	for _, path := range []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/wiki", "/.well-known/oauth-protected-resource/tools/x", "/.well-known/oauth-protected-resourcetools"} {
		if got := s.send("GET", path, ""); got.StatusCode != 404 {
			t.Errorf("%s: %d", path, got.StatusCode)
		}
	}
	if got := s.send("POST", "/wiki/x", "{}", "Accept", "application/json"); got.StatusCode != 401 || got.Header.Get("Www-Authenticate") != "" {
		t.Errorf("without the setting: %d %v", got.StatusCode, got.Header)
	}
	if got := s.send("GET", "/tools/x", "", "Accept", "text/html"); got.StatusCode != 303 {
		t.Errorf("a browser: %d", got.StatusCode)
	}
	if got := s.send("GET", "/tools/x", "", "Accept", "text/event-stream"); got.StatusCode != 401 {
		t.Errorf("a program: %d", got.StatusCode)
	}
}
