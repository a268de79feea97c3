package security

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/internal/apikey"
	"portico/internal/config"
)

func TestSEC322_TokensAtApps(t *testing.T) {
	announce(t)
	t.Parallel()
	opened, ended := make(chan struct{}), make(chan struct{})
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/tools/stream" {
			w.Header().Set("Content-Type", "text/event-stream")
			_ = http.NewResponseController(w).Flush()
			close(opened)
			<-r.Context().Done()
			close(ended)
			return
		}
		_, _ = w.Write([]byte(r.Header.Get("X-Portico-Email") + r.Header.Get("Authorization")))
	}))
	t.Cleanup(app.Close)
	upstream, _ := url.Parse(app.URL)
	const tools, wiki = "https://portico.test/tools", "https://portico.test/wiki"
	s := start(t, func(c *config.Config) {
		c.Apps = []config.App{
			{Name: "tools", Path: "/tools", Upstream: upstream, AccessTokens: true, Key: "app.1"},
			{Name: "wiki", Path: "/wiki", Upstream: upstream, AccessTokens: true, Key: "app.2"},
			{Name: "plain", Path: "/plain", Upstream: upstream, Key: "app.3"},
		}
		c.Clients[0].Resources = []string{tools, wiki, "https://api.test"}
		jwt := c.Clients[0]
		jwt.ID, jwt.AccessToken = "jwt", "jwt"
		c.Clients = append(c.Clients, jwt)
	})
	mallory := fresh("m")
	v, other := s.visitor().register(fresh("v")), s.visitor().register(mallory)
	send := func(v *visitor, path string, lines ...string) *answer {
		a, err := v.try("GET", path, "", http.Header{"Authorization": lines, "Accept": {"application/json"}})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	refuses := func(what string, a *answer) {
		t.Helper()
		if a.status != http.StatusUnauthorized {
			t.Errorf("%s: %d %s", what, a.status, a.body)
		}
	}
	bare := s.visitor()
	for _, id := range []string{"rp", "jwt"} {
		get := func(changes ...string) rpAnswer {
			q := codeRequest(append([]string{"client_id", id}, changes...)...)
			got := s.rp("token", codeForm(v.authorize(q).sentBack(rpBack).Get("code"), "client_id", id))
			if got.status != 200 {
				t.Fatalf("%s: %d %s", id, got.status, got.body)
			}
			return got
		}
		right := get("resource", tools)
		for _, scheme := range []string{"Bearer ", "bearer  "} {
			if a := send(bare, "/tools/x", scheme+right.Access); a.status != 200 || a.body == "" || a.body != v.whoami() {
				t.Fatalf("%s: %q and the right token: %d %q, want %q", id, scheme, a.status, a.body, v.whoami())
			}
		}
		refuses("another app", send(bare, "/wiki/x", "Bearer "+right.Access))
		if a := send(bare, "/plain/x", "Bearer "+right.Access); a.status != http.StatusUnauthorized || a.header.Get("Www-Authenticate") != "" {
			t.Errorf("an app that takes none: %d %v", a.status, a.header)
		}
		refuses("a token for UserInfo", send(bare, "/tools/x", "Bearer "+get().Access))
		refuses("a token for an API", send(bare, "/tools/x", "Bearer "+get("resource", "https://api.test").Access))
		refuses("an ID token", send(bare, "/tools/x", "Bearer "+right.ID))
		refuses("a refresh token", send(bare, "/tools/x", "Bearer "+right.Refresh))
		refuses("two lines", send(bare, "/tools/x", "Bearer "+right.Access, "Bearer "+right.Access))
		refuses("a changed token", send(bare, "/tools/x", "Bearer "+right.Access+"A"))
		refuses("no token, with the cookie of another user", send(other, "/tools/x", "Bearer "))
		refuses("a wrong token, with the cookie of another user", send(other, "/tools/x", "Bearer x"))
		if a := send(other, "/tools/x", "Bearer "+right.Access); a.body != v.whoami() {
			t.Errorf("with the cookie of another user, the app sees %q", a.body)
		}
		two := codeRequest("client_id", id, "resource", tools)
		two.Add("resource", wiki)
		both := s.rp("token", codeForm(v.authorize(two).sentBack(rpBack).Get("code"), "client_id", id))
		refuses("a token for two apps", send(bare, "/tools/x", "Bearer "+both.Access))
		if a := s.rp("revoke", url.Values{"token": {right.Access}, "client_id": {id}, "client_secret": {rpSecret}}); a.status != 200 {
			t.Fatal(a.body)
		}
		refuses("a revoked token", send(bare, "/tools/x", "Bearer "+right.Access))
		late := get("resource", tools)
		s.clock.Advance(11 * time.Minute)
		refuses("an expired token", send(bare, "/tools/x", "Bearer "+late.Access))
	}

	// A stream that is open ends with the session behind the token.
	q := codeRequest("resource", tools)
	token := s.rp("token", codeForm(v.authorize(q).sentBack(rpBack).Get("code"))).Access
	go func() {
		_, _ = bare.try("GET", "/tools/stream", "", http.Header{"Authorization": {"Bearer " + token}, "Accept": {"text/event-stream"}})
	}()
	<-opened
	v.post("signout", object{}).must(200)
	<-ended
	refuses("after the sign-out", send(bare, "/tools/x", "Bearer "+token))
}

func TestSEC455_TokensForOthersOnPublicPaths(t *testing.T) {
	announce(t)
	t.Parallel()
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(r.Header.Get("X-Portico-Email") + "|" + strings.Join(r.Header["Authorization"], ",")))
	}))
	t.Cleanup(app.Close)
	upstream, _ := url.Parse(app.URL)
	const tools, wiki = "https://portico.test/tools", "https://portico.test/wiki"
	s := start(t, func(c *config.Config) {
		c.Apps = []config.App{
			{Name: "tools", Path: "/tools", Upstream: upstream, AccessTokens: true, Key: "app.1", Rules: []string{"public /tools/open/*", "signed-in /tools/*"}},
			{Name: "wiki", Path: "/wiki", Upstream: upstream, AccessTokens: true, Key: "app.2"},
			{Name: "plain", Path: "/plain", Upstream: upstream, Rules: []string{"public /plain/*"}, Key: "app.3"},
		}
		c.Clients[0].Resources = []string{tools, wiki}
		jwt := c.Clients[0]
		jwt.ID, jwt.AccessToken = "jwt", "jwt"
		robot := config.Client{ID: "robot", IDTokenAlg: "ES256", Secret: rpSecret, Grants: []string{"client_credentials"}, Resources: []string{wiki}}
		c.Clients = append(c.Clients, jwt, robot)
	})
	v := s.visitor().register(fresh("v"))
	open := func(what string, want string, lines ...string) {
		t.Helper()
		a, err := s.visitor().try("GET", "/tools/open/x", "", http.Header{"Authorization": lines})
		s.must(err)
		if a.status != 200 || a.body != want {
			t.Errorf("%s: the app gets %q: %d", what, a.body, a.status)
		}
	}
	for _, id := range []string{"rp", "jwt"} {
		get := func(changes ...string) rpAnswer {
			q := codeRequest(append([]string{"client_id", id}, changes...)...)
			return s.rp("token", codeForm(v.authorize(q).sentBack(rpBack).Get("code"), "client_id", id))
		}
		right, other, info := get("resource", tools), get("resource", wiki), get()
		open("its own token", v.whoami()+"|", "Bearer "+right.Access)
		for what, token := range map[string]string{
			"a token for another app": other.Access, "a token for UserInfo": info.Access, "an ID token": info.ID, "a refresh token": info.Refresh,
			"a code": v.openIDCode("client_id", id),
		} {
			open(what, "|", "bearer  "+token)
		}
		open("two lines", "|", "Bearer "+right.Access, "Bearer "+right.Access)
		open("behind a line of another scheme", "|", "Basic eDp5", "Bearer "+other.Access)
		if id == "jwt" {
			changed := other.Access[:len(other.Access)-8] + "AAAAAAAA"
			open("a forged token", "|Bearer "+changed, "Bearer "+changed)
		}
		s.clock.Advance(11 * time.Minute)
		open("an expired token", "|", "Bearer "+right.Access)
	}
	open("a token of a client itself", "|", "Bearer "+s.rp("token", url.Values{"grant_type": {"client_credentials"}, "client_id": {"robot"}, "client_secret": {rpSecret}, "resource": {wiki}}).Access)
	open("a token of the app's own", "|Bearer of-the-app", "Bearer of-the-app")
	open("another scheme", "|Basic eDp5", "Basic eDp5")
	for _, key := range []string{apikey.New(), apikey.NewPersonal(make([]byte, 32))} {
		open("a key or a personal token", "|", "Bearer "+key)
		if a := s.visitor().sends("/plain/x", "Bearer "+key); a.status != 200 || a.body != "|" {
			t.Errorf("an app without tokens gets %q of %.12s: %d", a.body, key, a.status)
		}
	}
}

func TestSEC456_AReloadGivesAPathToAnotherApp(t *testing.T) {
	announce(t)
	t.Parallel()
	app := newStreamApp(t)
	const tools = "https://portico.test/tools"
	former := config.App{Name: "tools", Path: "/tools", Upstream: app.upstream, AccessTokens: true, PersonalTokens: true, Key: "app.1"}
	s := start(t, func(c *config.Config) {
		c.Apps, c.Clients[0].Resources = []config.App{former}, []string{tools}
	})
	v := s.visitor().register(fresh("v"))
	access := s.rp("token", codeForm(v.authorize(codeRequest("resource", tools)).sentBack(rpBack).Get("code"))).Access
	personal := v.personal("tools")
	taken := func(change func(tools, part *config.App)) option {
		return func(c *config.Config) {
			now, part := former, config.App{Name: "part", Path: "/tools/part", Upstream: app.upstream, Key: "app.2"}
			change(&now, &part)
			c.Apps = []config.App{now, part}
		}
	}
	for what, tt := range map[string]struct {
		token string
		to    option
	}{
		"no access tokens":                    {access, taken(func(tools, part *config.App) { tools.AccessTokens, part.Path = false, "/part" })},
		"no personal tokens":                  {personal, taken(func(tools, part *config.App) { tools.PersonalTokens, part.Path = false, "/part" })},
		"an access token of another app":      {access, taken(func(_, part *config.App) { part.AccessTokens = true })},
		"a personal token of another app":     {personal, taken(func(_, part *config.App) { part.PersonalTokens = true })},
		"an access token, and an app of none": {access, taken(func(_, _ *config.App) {})},
	} {
		s.follows(func(c *config.Config) { c.Apps = []config.App{former} })
		bearer := http.Header{"Authorization": {"Bearer " + tt.token}}
		if app.outlives(s.visitor(), "/tools/part/stream", bearer, func() { s.follows(tt.to) }) {
			t.Errorf("%s: the stream goes on", what)
		}
	}
}

// A client whose users have agreed to a sign-in must not use an app in their name unasked.
func TestSEC499_ServersWithoutConsent(t *testing.T) {
	announce(t)
	t.Parallel()
	const tools, api = "https://portico.test/tools", "https://api.test"
	s := start(t, func(c *config.Config) {
		c.Clients = append(c.Clients, config.Client{
			ID: "asking", IDTokenAlg: "ES256", Secret: rpSecret, RedirectURIs: []string{rpBack}, Scopes: []string{"openid"}, Resources: []string{tools, api}, PKCE: true, Consent: true,
		})
	})
	v := s.visitor().register(fresh("v"))
	request := func(changes ...string) url.Values {
		return codeRequest(append([]string{"client_id", "asking", "scope", "openid"}, changes...)...)
	}
	agrees := func(q url.Values, named string) string {
		t.Helper()
		a := v.form("/auth/openid/consent", url.Values{"account": {v.id()}, "request": {q.Encode()}, "scopes": {named}, "answer": {"allow"}})
		return a.sentBack(rpBack).Get("code")
	}
	unasked := func(what string, changes ...string) {
		t.Helper()
		if got := v.authorize(request(append(changes, "prompt", "none")...)).sentBack(rpBack); got.Get("error") != "consent_required" {
			t.Errorf("%s: %v", what, got)
		}
	}
	if agrees(request(), "openid") == "" {
		t.Fatal("the user cannot agree")
	}
	unasked("an app", "resource", tools)
	if agrees(request("resource", tools), "openid") != "" {
		t.Error("an answer to a page without the app counts for it")
	}
	code := agrees(request("resource", tools), "openid "+tools)
	unasked("another server", "resource", api)
	if again := v.authorize(request("resource", tools, "prompt", "none")).sentBack(rpBack); again.Get("code") == "" {
		t.Errorf("the app again: %v", again)
	}
	got := s.rp("token", codeForm(code, "client_id", "asking"))
	got = s.rp("token", refreshForm(got.Refresh, "client_id", "asking"))
	if page := v.get("/auth/account/apps").body; got.status != 200 || !strings.Contains(page, "portico.test/tools") {
		t.Errorf("%d %s, on a page that names the app: %v", got.status, got.body, strings.Contains(page, "portico.test/tools"))
	}
	v.form("/auth/account/apps", url.Values{"account": {v.id()}, "app": {"asking"}})
	s.refused("after the consent is gone", s.rp("token", refreshForm(got.Refresh, "client_id", "asking")), "invalid_grant")
}
