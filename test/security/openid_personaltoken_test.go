package security

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/secret"
	"portico/internal/session"
)

// personal makes a personal access token for an app, by a new proof.
func (v *visitor) personal(app string) string {
	v.Helper()
	found, err := v.app.Flows.Session(v.Context(), v.cookie("session"))
	v.must(err)
	text, err := v.app.Owner.MakeToken(v.Context(), flow.Caller{Locale: "en"}, found, flow.TokenAsk{Nonce: secret.Token(), Name: "nightly", App: app, Role: flow.AllRoles, Days: "90"})
	v.must(err)
	return text
}

// sends sends a request as a script does, with lines of the Authorization header.
func (v *visitor) sends(path string, lines ...string) *answer {
	v.Helper()
	a, err := v.try("GET", path, "", http.Header{"Authorization": lines})
	v.must(err)
	return a
}

// tokenApps are three apps behind a server that tells what reaches it. The last one takes no tokens.
func tokenApps(t *testing.T, app http.HandlerFunc) option {
	server := httptest.NewServer(app)
	t.Cleanup(server.Close)
	upstream, _ := url.Parse(server.URL)
	return func(c *config.Config) {
		c.Apps = []config.App{
			{Name: "tools", Path: "/tools", Upstream: upstream, PersonalTokens: true, Key: "app.1", Rules: []string{
				"public /tools/open/*", "role:staff /tools/staff/*", "fresh:10m /tools/fresh/*", "mfa /tools/mfa/*", "signed-in /tools/*",
			}},
			{Name: "wiki", Path: "/wiki", Upstream: upstream, PersonalTokens: true, AccessTokens: true, Key: "app.2"},
			{Name: "plain", Path: "/plain", Upstream: upstream, Key: "app.3", Rules: []string{"public /plain/*"}},
		}
	}
}

func tellsWhom(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/identity") {
		payload, _ := base64.RawURLEncoding.DecodeString(strings.Split(r.Header.Get("X-Portico-Token"), ".")[1])
		_, _ = w.Write(payload)
		return
	}
	_, _ = w.Write([]byte(r.Header.Get("X-Portico-Email") + " " + r.Header.Get("X-Portico-Roles") + r.Header.Get("Authorization")))
}

func TestSEC430_PersonalTokensElsewhere(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, tokenApps(t, tellsWhom))
	mara, noah := fresh("m"), fresh("n")
	v, other, bare := s.visitor().register(mara), s.visitor().register(noah), s.visitor()
	text := v.personal("tools")
	for what, a := range map[string]*answer{"the token": bare.sends("/tools/x", "Bearer "+text), "beside the cookie of another user": other.sends("/tools/x", "bearer "+text), "where all may go": bare.sends("/tools/open/x", "Bearer "+text)} {
		if a.status != 200 || strings.TrimSpace(a.body) != mara {
			t.Errorf("%s: %d %q", what, a.status, a.body)
		}
	}
	var claims struct {
		Methods  []string `json:"amr"`
		AuthTime int64    `json:"auth_time"`
	}
	bare.sends("/tools/identity", "Bearer "+text).parse(&claims)
	if !slices.Equal(claims.Methods, []string{session.ByToken}) || claims.AuthTime != 0 {
		t.Errorf("the signed identity is %+v", claims)
	}
	for _, path := range []string{"/wiki/x", "/plain/x"} { // which must not get it: it works elsewhere
		bare.sends(path, "Bearer "+text).refused(403, "token.app")
		other.sends(path, "Bearer "+text).refused(403, "token.app")
		bare.sends(path, "Bearer  "+text).refused(403, "token.app")
	}
	last := text[:len(text)-1] + map[bool]string{true: "B", false: "A"}[strings.HasSuffix(text, "A")]
	for what, lines := range map[string][]string{
		"a typing error": {"Bearer " + last}, "two": {"Bearer " + text, "Bearer " + text}, "beside another scheme": {"Basic eDp5", "Bearer " + text}, "nothing but the prefix": {"Bearer portico_pat_"},
	} {
		for _, path := range []string{"/tools/x", "/tools/open/x"} {
			a := other.sends(path, lines...)
			a.refused(401, "token.unknown")
			if a.header.Get("Www-Authenticate") != `Bearer error="invalid_token"` {
				t.Errorf("%s: %v", what, a.header)
			}
		}
	}
	wiki := v.personal("wiki")
	s.follows(func(c *config.Config) { c.Apps[1].PersonalTokens = false })
	bare.sends("/wiki/x", "Bearer "+wiki).refused(403, "token.app")
	browser, err := bare.try("GET", "/tools/x", "", http.Header{"Authorization": {"Bearer " + last}, "Accept": {"text/html"}, "Sec-Fetch-Mode": {"navigate"}})
	s.must(err)
	if browser.status != 401 {
		t.Errorf("a script that looks like a browser is sent to a page: %d", browser.status)
	}
}

// Another proxy asks about a request with a token, and gets the identity, or a refusal that it can pass on.
func TestSEC430_PersonalTokensByForwardAuth(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, trusting(), func(c *config.Config) {
		c.Apps = []config.App{
			{Name: "tools", Path: "/tools", PersonalTokens: true, Rules: []string{"fresh:10m /tools/fresh/*", "signed-in /tools/*"}, Key: "app.1"},
			{Name: "plain", Path: "/plain", Rules: []string{"public /plain/*"}, Key: "app.2"},
		}
	})
	mara := fresh("m")
	text := s.visitor().register(mara).personal("tools")
	asks := func(uri, token string) *answer {
		return s.visitor().do("GET", "/auth/api/check", "", http.Header{
			"Authorization": {"Bearer " + token}, "Sec-Fetch-Mode": {"navigate"}, "Accept": {"text/html"},
			"X-Original-Method": {"GET"}, "X-Original-Url": {"https://portico.test" + uri},
		})
	}
	if a := asks("/tools/x", text); a.status != 200 || a.header.Get("X-Portico-Email") != mara {
		t.Errorf("the token: %d %v", a.status, a.header)
	}
	asks("/tools/fresh/x", text).refused(403, "token.unproven")
	asks("/plain/x", text).refused(403, "token.app")
	for _, token := range []string{text[:len(text)-1], text + "x"} {
		if a := asks("/tools/x", token); a.status != 401 || a.header.Get("Location") != "" || a.header.Get("X-Portico-Email") != "" {
			t.Errorf("%q: %d %v", token, a.status, a.header)
		}
	}
}

func TestSEC431_PersonalTokensAtPortico(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, tokenApps(t, tellsWhom))
	v := s.visitor().register(fresh("m"))
	text := v.personal("tools")
	bare := s.visitor()
	for _, path := range []string{"/auth/api/session", "/auth/api/sessions", "/auth/api/admin/people", "/auth/openid/userinfo"} {
		if a := bare.sends(path, "Bearer "+text); a.status != 401 {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	for _, path := range []string{"/auth/account", "/auth/account/tokens", "/auth/openid/authorize?" + codeRequest().Encode()} {
		if a := bare.sends(path, "Bearer "+text); a.status != 303 || !strings.Contains(a.header.Get("Location"), "/auth/signin") {
			t.Errorf("%s: %d %v", path, a.status, a.header)
		}
	}
	if who := s.with(text).whoami(); who != "" {
		t.Errorf("as the cookie of a session it is %s", who)
	}
	if a := s.with(text).get("/tools/x"); a.status == 200 {
		t.Error("as the cookie of a session it opens the app")
	}
}

func TestSEC432_PersonalTokensProveNothing(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, tokenApps(t, tellsWhom))
	v := s.staff("staff")
	text, bare := v.personal("tools"), s.visitor()
	if a := v.get("/tools/fresh/x"); a.status != 200 {
		t.Fatalf("the user: %d", a.status)
	}
	bare.sends("/tools/fresh/x", "Bearer "+text).refused(403, "token.unproven")
	bare.sends("/tools/mfa/x", "Bearer "+text).refused(403, "token.unproven")
	if a := bare.sends("/tools/staff/x", "Bearer "+text); a.status != 200 || !strings.Contains(a.body, " staff") {
		t.Fatalf("with the role: %d %q", a.status, a.body)
	}
	a, err := s.app.Operator.User(t.Context(), v.whoami())
	s.must(err)
	s.must(s.app.Operator.SetUserRoles(t.Context(), flow.ByOperator, a.ID, nil))
	bare.sends("/tools/staff/x", "Bearer "+text).refused(403, "rule.role")
}

func TestSEC433_PersonalTokensAfterTheirEnd(t *testing.T) {
	announce(t)
	t.Parallel()
	opened, ended := make(chan struct{}), make(chan struct{})
	s := start(t, tokenApps(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/stream") {
			w.Header().Set("Content-Type", "text/event-stream")
			_ = http.NewResponseController(w).Flush()
			close(opened)
			<-r.Context().Done()
			close(ended)
		}
	}))
	v, bare := s.visitor().register(fresh("m")), s.visitor()
	text := v.personal("tools")
	go func() {
		_, _ = s.visitor().try("GET", "/tools/stream", "", http.Header{"Authorization": {"Bearer " + text}})
	}()
	<-opened
	v.post("account/password", object{"account": v.id(), "password": good + "2", "confirm_password": good + "2"}).must(200)
	<-ended
	bare.sends("/tools/x", "Bearer "+text).refused(401, "token.unknown")

	text = v.personal("tools")
	if a := bare.sends("/tools/x", "Bearer "+text); a.status != 200 {
		t.Fatal(a.status)
	}
	s.clock.Advance(90 * 24 * time.Hour)
	bare.sends("/tools/x", "Bearer "+text).refused(401, "token.ended")
}

// The page shows a token once, to the account that has made it. The form sent again makes no second one.
func TestSEC434_PersonalTokensOfAThief(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, tokenApps(t, tellsWhom))
	v, other := s.visitor().register(fresh("m")), s.visitor().register(fresh("n"))
	shown := regexp.MustCompile(`portico_pat_[A-Za-z0-9_-]{49}`)
	nonce := func() string {
		m := regexp.MustCompile(`nonce\W+([A-Za-z0-9_-]{43})`).FindStringSubmatch(v.get("/auth/account/tokens").must(200).body)
		if m == nil {
			t.Fatal("the form has no nonce")
		}
		return m[1]
	}
	fields := url.Values{"account": {v.id()}, "nonce": {nonce()}, "name": {"nightly"}, "app": {"tools"}, "days": {"30"}}
	v.form("/auth/account/tokens", fields).must(303)
	cookie := v.cookie("made")
	page := v.get("/auth/account/tokens")
	text := shown.FindString(page.body)
	if a := s.visitor().sends("/tools/x", "Bearer "+text); a.status != 200 || page.header.Get("Content-Encoding") != "" || page.header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%q: %d, on a page with %v", text, a.status, page.header)
	}
	if again := v.get("/auth/account/tokens"); shown.MatchString(again.body) || v.cookie("made") != "" {
		t.Error("a reload shows the token again")
	}
	v.form("/auth/account/tokens", fields).must(303)
	if again := shown.FindString(v.get("/auth/account/tokens").body); again != text {
		t.Errorf("the form sent again shows %q", again)
	}
	if n := s.count("SELECT COUNT(*) FROM personal_token"); n != 1 {
		t.Errorf("there are %d tokens", n)
	}
	other.cookies[other.cookieName("made")] = cookie
	if shown.MatchString(other.get("/auth/account/tokens").body) {
		t.Error("another account sees the token")
	}
	fields.Set("nonce", nonce())
	s.clock.Advance(10 * time.Minute)
	if a := v.form("/auth/account/tokens", fields); a.status != 401 {
		t.Errorf("with an old proof: %d", a.status)
	}
	evil := v.do("POST", "/auth/account/tokens", fields.Encode(), http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Origin": {"https://evil.test"}})
	if n := s.count("SELECT COUNT(*) FROM personal_token"); n != 1 || evil.status != 403 {
		t.Errorf("another site: %d, and %d tokens", evil.status, n)
	}
}

func TestSEC435_PersonalTokensAreWrittenNowhere(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, tokenApps(t, tellsWhom))
	v := s.visitor().register(fresh("m"))
	text := v.personal("tools")
	for _, path := range []string{"/tools/x", "/wiki/x", "/auth/account", "/auth/api/session"} {
		s.visitor().sends(path, "Bearer "+text)
	}
	s.settle()
	_, bits, _ := strings.Cut(text, "pat_")
	for table, rows := range s.rows() {
		if strings.Contains(strings.Join(rows, "\n"), bits[:43]) {
			t.Errorf("the table %s has it", table)
		}
	}
	if strings.Contains(s.log.String(), bits[:20]) || strings.Contains(s.figures(), bits[:20]) {
		t.Error("the log or the figures have it")
	}
	for _, l := range s.mail.all() {
		if strings.Contains(l.raw, bits[:20]) {
			t.Error("an email has it")
		}
	}
}
