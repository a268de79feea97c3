package gateway_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/config"
	"portico/internal/flow"
)

const (
	navigate = "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\nSec-Fetch-Site: none\r\nAccept: text/html"
	fetch    = "Sec-Fetch-Mode: cors\r\nSec-Fetch-Dest: empty\r\nAccept: text/html"
)

// The app gets the identity in every header, and the token says the same.
func TestIdentity(t *testing.T) {
	t.Parallel()
	u := echoApp(t)
	s := start(t, behind(u.URL), func(c *config.Config) {
		c.App.Headers = []string{"Remote-User: email", "Remote-Name: name", "Remote-Groups: roles", "X-Auth-Token: token", "X-Age: session_age"}
	})
	cookie := s.person("mara@x.test", "editor", "admin")
	s.clock.Advance(90 * time.Second)
	a := s.user("mara@x.test")
	got := s.get("/a/b?c=d", "Cookie: theme=dark; "+cookie+"; other=1").echoed(t)
	for name, want := range map[string]string{
		"X-Portico-User": a.ID, "X-Portico-Email": "mara@x.test", "X-Portico-Name": `M%C3%A4ra, "Lind"`, "X-Portico-Roles": "admin,editor",
		"X-Portico-Session-Age": "90", "Remote-User": "mara@x.test", "Remote-Name": `M%C3%A4ra, "Lind"`, "Remote-Groups": "admin,editor", "X-Age": "90",
		"Cookie": "theme=dark; other=1", "X-Forwarded-For": "127.0.0.1", "X-Forwarded-Host": s.host, "X-Forwarded-Proto": "http",
	} {
		if values := got.Header[name]; len(values) != 1 || values[0] != want {
			t.Errorf("%s: %q, want %q", name, values, want)
		}
	}
	if got.Target != "/a/b?c=d" || got.Host != s.host {
		t.Errorf("the app was asked for %s at %s", got.Target, got.Host)
	}
	token := got.Header.Get("X-Portico-Token")
	if got.Header.Get("X-Auth-Token") != token {
		t.Error("the two headers with a token differ")
	}
	var claims map[string]any
	payload, _ := base64.RawURLEncoding.DecodeString(strings.Split(token+"..", ".")[1])
	if err := json.Unmarshal(payload, &claims); err != nil {
		t.Fatalf("%q: %v", token, err)
	}
	now := s.clock.Now().Unix()
	for name, want := range map[string]any{
		"iss": s.origin, "aud": "app", "sub": a.ID, "email": "mara@x.test", "email_verified": true, "name": `Mära, "Lind"`,
		"auth_time": float64(now - 90), "iat": float64(now), "exp": float64(now + 300),
	} {
		if claims[name] != want {
			t.Errorf("claim %s: %v, want %v", name, claims[name], want)
		}
	}
	if sid, _ := claims["sid"].(string); len(sid) != 22 {
		t.Errorf("claim sid: %v", claims["sid"])
	}
	if again := s.get("/", "Cookie: "+cookie).echoed(t); again.Header.Get("X-Portico-Token") != token {
		t.Error("a token was made for each request")
	}
	for after, why := range map[time.Duration]string{-time.Minute: "from the future", 3 * time.Minute: "with less than half of its validity left"} {
		former := s.get("/", "Cookie: "+cookie).echoed(t).Header.Get("X-Portico-Token")
		s.clock.Advance(after)
		if later := s.get("/", "Cookie: "+cookie).echoed(t); later.Header.Get("X-Portico-Token") == former {
			t.Errorf("the app got a token %s", why)
		}
	}
	if err := s.app.Operator.SetUserRoles(t.Context(), flow.ByOperator, a.ID, nil); err != nil {
		t.Fatal(err)
	}
	if none := s.get("/", "Cookie: "+cookie).echoed(t); none.Header.Get("X-Portico-Roles") != "" || len(none.Header["X-Portico-Roles"]) != 1 {
		t.Errorf("without roles the header is %q, want one empty one", none.Header["X-Portico-Roles"])
	}
}

// A token works no longer than an account whose end was set before.
func TestIdentity_EndsWithItsAccount(t *testing.T) {
	t.Parallel()
	u := echoApp(t)
	s := start(t, behind(u.URL))
	cookie := s.person("mara@x.test")
	expires := func() int64 {
		var claims struct {
			Expires int64 `json:"exp"`
		}
		token := s.get("/", "Cookie: "+cookie).echoed(t).Header.Get("X-Portico-Token")
		payload, _ := base64.RawURLEncoding.DecodeString(strings.Split(token+"..", ".")[1])
		if err := json.Unmarshal(payload, &claims); err != nil {
			t.Fatalf("%q: %v", token, err)
		}
		return claims.Expires
	}
	now := s.clock.Now()
	for _, end := range []time.Time{{}, now.Add(time.Minute), now.Add(2 * time.Minute), now.Add(time.Hour)} {
		if !end.IsZero() {
			if err := s.app.Operator.SetUserEnd(t.Context(), flow.ByOperator, s.user("mara@x.test").ID, end); err != nil {
				t.Fatal(err)
			}
		}
		want := now.Add(5 * time.Minute)
		if !end.IsZero() && end.Before(want) {
			want = end
		}
		if got := expires(); got != want.Unix() {
			t.Errorf("with an account that ends at %v, the token works until %v, want %v", end, time.Unix(got, 0).UTC(), want)
		}
	}
}

// A token of a revoked key is not sent again.
func TestIdentity_RevokedKey(t *testing.T) {
	t.Parallel()
	u := echoApp(t)
	s := start(t, behind(u.URL))
	cookie := s.person("mara@x.test")
	token := func() string {
		return s.get("/", "Cookie: "+cookie).echoed(t).Header.Get("X-Portico-Token")
	}
	before, kid := token(), s.app.Keys.Signer()
	if err := s.app.Operator.RevokeKey(t.Context(), flow.ByOperator, kid); err != nil {
		t.Fatal(err)
	}
	if err := s.app.Operator.FollowKeys(t.Context()); err != nil {
		t.Fatal(err)
	}
	if after := token(); after == before || s.app.Keys.Signer() == kid {
		t.Error("the token of a revoked key is sent")
	}
	if set := s.get("/.well-known/jwks.json"); strings.Contains(set.body, kid) || set.header.Get("Cache-Control") != "public, max-age=300" {
		t.Errorf("the revoked key is published: %s", set.body)
	} else if again := s.get("/.well-known/jwks.json", "If-None-Match: "+set.header.Get("Etag")); again.status != http.StatusNotModified {
		t.Errorf("the same set once more: %d", again.status)
	}
}

// Each row is a request without a session and its redirect.
func TestSignIn(t *testing.T) {
	t.Parallel()
	u := echoApp(t)
	s := start(t, behind(u.URL, "public GET /public/*", "signed-in /*"))
	for name, tt := range map[string]struct {
		method, target, lines string
		location              string // "" for 401
	}{
		"navigation":             {"GET", "/a/b?c=d&e=%2F", navigate, "/a/b?c=d&e=%2F"},
		"other scripts":          {"GET", "/caf%C3%A9?q=\"x|y", navigate, "/caf%C3%A9?q=\"x|y"},
		"old browser":            {"GET", "/a", "Accept: text/html", "/a"},
		"old browser, head":      {"HEAD", "/a", "Accept: */*", "/a"},
		"form":                   {"POST", "/order", navigate + "\r\nReferer: http://" + s.host + "/cart?x=1", "/cart?x=1"},
		"form of elsewhere":      {"POST", "/order", navigate + "\r\nReferer: http://evil.test/cart", "/"},
		"form of a look-alike":   {"POST", "/order", navigate + "\r\nReferer: http://" + s.host + ".evil.test/", "/"},
		"fetch that takes html":  {"GET", "/a", fetch, ""},
		"image":                  {"GET", "/a", "Sec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image", ""},
		"frame":                  {"GET", "/a", "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\nAccept: text/html", ""},
		"mode twice":             {"GET", "/a", "Sec-Fetch-Mode: cors\r\nSec-Fetch-Mode: navigate", ""},
		"event stream":           {"GET", "/events", "Sec-Fetch-Mode: cors\r\nAccept: text/event-stream", ""},
		"websocket":              {"GET", "/ws", upgrade(s, s.origin), ""},
		"websocket, old browser": {"GET", "/ws", strings.Replace(upgrade(s, s.origin), "Sec-Fetch-Mode: websocket\r\n", "", 1), ""},
		"xhr, old browser":       {"GET", "/a", "X-Requested-With: XMLHttpRequest", ""},
		"write, old browser":     {"POST", "/a", "Accept: text/html", ""},
		"json":                   {"GET", "/a", "Accept: application/json", ""},
		"json in a navigation":   {"GET", "/a", strings.Replace(navigate, "text/html", "application/json", 1), ""},
		"json of a library":      {"GET", "/a", "Accept: application/problem+json, */*", ""},
		"page before json":       {"GET", "/a", strings.Replace(navigate, "text/html", "text/html, application/json;q=0.5", 1), "/a"},
		"a session of nobody":    {"GET", "/a", fetch + "\r\nCookie: portico-session=" + strings.Repeat("A", 43), ""},
		"two sessions":           {"GET", "/a", fetch + "\r\nCookie: portico-session=x; portico-session=y", ""},
	} {
		a := s.do(tt.method, tt.target, "", tt.lines)
		if tt.location == "" {
			var p struct {
				Code      string
				SignInURL string `json:"signin_url"`
			}
			_ = json.Unmarshal([]byte(a.body), &p)
			if a.status != http.StatusUnauthorized || p.Code != "session.required" || p.SignInURL != s.origin+"/auth/signin" || a.header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("%s: %d %v %s", name, a.status, a.header, a.body)
			}
			continue
		}
		to, _ := url.Parse(a.header.Get("Location"))
		if tt.location == "/" {
			to.RawQuery = "return_to=%2F" // the default target
		}
		if a.status != http.StatusSeeOther || to.Path != "/auth/signin" || to.Query().Get("return_to") != tt.location || a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %s, want the way back to %s", name, a.status, a.header.Get("Location"), tt.location)
		}
		// The sign-in page keeps the return target.
		if page := s.get(a.header.Get("Location"), "Accept: text/html"); tt.method == "GET" && !strings.Contains(page.body, jsonText(tt.location)) {
			t.Errorf("%s: the sign-in page does not lead back to %s: %s", name, tt.location, page.body)
		}
	}
	if seen := u.asked(); len(seen) != 0 {
		t.Errorf("the app was asked: %v", seen)
	}
	if a := s.get("/", navigate); a.status != http.StatusSeeOther || a.header.Get("Location") != "/auth/signin" {
		t.Errorf("the root: %d %s, want the sign-in page as without an app", a.status, a.header.Get("Location"))
	}
	if a := s.get("/public/x", fetch); a.status != 200 {
		t.Errorf("a public path got status %d", a.status)
	}
}

// jsonText returns a text as it appears in the boot data of a document.
func jsonText(s string) string {
	b, _ := json.Marshal(s)
	return strings.ReplaceAll(strings.Trim(string(b), `"`), "&", `\u0026`)
}

// Each row is a rule, a user and the status.
func TestRules(t *testing.T) {
	t.Parallel()
	u := echoApp(t)
	s := start(t, behind(u.URL, "public GET /public/*", "role:admin /admin/*", "fresh:10m /danger/*", "signed-in GET|POST /app/*", "public PREFLIGHT /api/*"))
	plain, admin := s.person("plain@x.test"), s.person("admin@x.test", "admin")
	check := func(want int, code, request, cookie string, lines ...string) {
		t.Helper()
		method, target, _ := strings.Cut(request, " ")
		a := s.do(method, target, "", append(lines, fetch, "Cookie: "+cookie)...)
		if a.status != want || code != "" && !strings.Contains(a.body, `"code":"`+code+`"`) {
			t.Errorf("%s: %d %s, want %d %s", request, a.status, a.body, want, code)
		}
	}
	check(200, "", "GET /public/x", "")
	check(200, "", "HEAD /public/x", "")
	check(403, "rule.denied", "POST /public/x", admin)
	check(403, "rule.denied", "GET /elsewhere", admin)
	check(403, "rule.denied", "GET /", "")
	check(401, "session.required", "GET /admin/x", "")
	check(403, "rule.role", "GET /admin/x", plain)
	check(403, "rule.role", "GET /ADMIN/x", plain)
	if page := s.get("/admin/x", "Accept: text/html", "Cookie: "+plain); !strings.Contains(page.body, `"title":"You don't have access to this page"`) || !strings.Contains(page.body, `"detail":"You're signed in as plain@x.test. This account`) || !strings.Contains(page.body, `"next_label":"Use another account"`) || !strings.Contains(page.body, `"back_label":"Go to your account"`) {
		t.Errorf("the page of a person without the role: %s", page.body)
	}
	if said := s.log.String(); !strings.Contains(said, `has none of the required roles: role:admin /admin/*"`) {
		t.Errorf("the log does not name the rule: %s", said)
	}
	check(200, "", "DELETE /admin", admin)
	check(200, "", "GET /danger/x", plain)
	check(405, "method.not_allowed", "TRACE /app/x", plain)
	check(405, "method.not_allowed", "get /app/x", plain)
	check(405, "method.not_allowed", "PREFLIGHT /api/x", plain)
	check(405, "method.not_allowed", "CONNECT /app/x", plain)
	check(403, "rule.denied", "DELETE /app/x", plain, "X-HTTP-Method-Override: GET")
	check(403, "rule.denied", "OPTIONS /api/x", plain)
	check(200, "", "OPTIONS /api/x", "", "Origin: http://elsewhere.test", "Access-Control-Request-Method: PUT")
	check(404, "route.missing", "GET /auth/nothing", admin)
	check(404, "route.missing", "GET /auth/api/nothing", admin)
	s.clock.Advance(10 * time.Minute)
	check(401, "rule.fresh", "GET /danger/x", plain)
	a := s.get("/danger/x?y", navigate, "Cookie: "+plain)
	if page := s.get("/admin/x?y", navigate, "Cookie: "+plain); !strings.Contains(page.body, "/auth/signin?return_to=%2Fadmin%2Fx%3Fy") {
		t.Errorf("nothing leads from a page that asks for a role to another account:\n%s", page.body)
	}
	if want := "/auth/signin?again=1&return_to=%2Fdanger%2Fx%3Fy"; a.status != 303 || a.header.Get("Location") != want {
		t.Errorf("an old sign-in: %d %s, want %s", a.status, a.header.Get("Location"), want)
	}
	page := s.get(a.header.Get("Location"), "Accept: text/html", "Cookie: "+plain)
	if !strings.Contains(page.body, "Sign in again to continue") || !strings.Contains(page.body, `"email":"plain@x.test"`) || !strings.Contains(page.body, `"session":{"id":""`) {
		t.Errorf("the page for signing in again: %s", page.body)
	}
	if fresh := s.get("/danger/x?y", "Cookie: "+s.signIn("plain@x.test")); fresh.status != 200 {
		t.Errorf("after signing in again: %d", fresh.status)
	}
	if denied := s.get("/admin/x", navigate, "Cookie: "+plain); denied.status != 403 || !strings.Contains(denied.body, "<title>error") {
		t.Errorf("a person without the role sees %d %s", denied.status, denied.body)
	}
}

// SEC-150: the app gets exactly the target that was judged, or no request.
func TestPaths(t *testing.T) {
	t.Parallel()
	u := echoApp(t)
	s := start(t, behind(u.URL, "public /public/*", "role:admin /admin/*"))
	for _, target := range []string{
		"/public/../admin", "/public/..%2fadmin", "/public/%2e%2e/admin", "/public/%252e%252e/admin", "//admin", "/./admin", "/public/..;/admin",
		"/public;/../admin", `/public\..\admin`, "/public%5c..%5cadmin", "/admin%00", "/admin#/public", "/public%c0%ae%c0%ae/admin", "/admin/.",
		"/public/%2E%2E/admin", "/public//../admin", "/public/%2f../admin", "/pub%6cic/x", "/public/a;b=c", "/public/%C3%a9", "/public/%zz", "*",
		"http://" + s.host + "/public/../admin", "http://" + s.host + "//admin", "http://169.254.169.254/public/x", "/public/caf\xc3\xa9", "/public/%u002e%u002e/admin", "/public/a%0d%0ab",
	} {
		if a := s.get(target, fetch); a.status != 400 && a.status != 421 {
			t.Errorf("%q got status %d", target, a.status)
		}
	}
	if seen := u.asked(); len(seen) != 0 {
		t.Fatalf("the app was asked: %v", seen)
	}
	for _, target := range []string{
		"/public", "/public/", "/public/a%20b", "/public/caf%C3%A9", "/public/caf%c3%a9", "/public/a+b(c)'!$&,=:@|[]", "/public/100%25", "/public/x?a=%2e%2e/&b;c&d=%zz&",
		"/public/x?", "/public/x?//..", "/public/C%23",
	} {
		if a := s.get(target, fetch); a.status != 200 || target != a.echoed(t).Target {
			t.Errorf("%q got status %d %s", target, a.status, a.body)
		}
	}
	if a := s.get("http://"+s.host+"/public/x?y=http://z/", fetch); a.status != 200 || a.echoed(t).Target != "/public/x?y=http://z/" {
		t.Errorf("a target with its host got status %d %s", a.status, a.body)
	}
	for _, target := range []string{"http://" + s.host + "/admin", "/ADMIN", "/admin%20", "/admin?/public", "/public%E3%80%82", "/Public/x"} {
		if a := s.get(target, fetch); a.status == 200 {
			t.Errorf("%q got status 200", target)
		}
	}
}

// SEC-156: Portico's cookies never reach the app, and the app can set none of
// them.
func TestCookies(t *testing.T) {
	t.Parallel()
	u := echoApp(t)
	s := start(t, behind(u.URL))
	cookie := s.person("mara@x.test")
	got := s.get("/", "Cookie: a=1; "+cookie+"; portico-browser=b; portico-device=d;portico-link=l;__Host-portico-session=x; PORTICO-session=y", "Cookie: __host-portico-x=1; b=2", "Cookie: portico-provider=p").echoed(t)
	if lines := got.Header["Cookie"]; !slices.Equal(lines, []string{"a=1", "b=2"}) && !slices.Equal(lines, []string{"a=1; b=2"}) {
		t.Errorf("the app got the cookies %q", lines)
	}
	if only := s.get("/", "Cookie: "+cookie).echoed(t); only.Header["Cookie"] != nil {
		t.Errorf("the app got the cookies %q", only.Header["Cookie"])
	}
	a := s.get("/evil", "Cookie: "+cookie)
	own := func(line string) bool { return strings.HasPrefix(line, "portico-user-app=") }
	if set := slices.DeleteFunc(slices.Clone(a.header["Set-Cookie"]), own); !slices.Equal(set, []string{"mine=1; Path=/", "xportico-session=1"}) {
		t.Errorf("the app has set %q", set)
	}
	if a.status != 302 || a.header.Get("Location") != "http://169.254.169.254/" {
		t.Errorf("a redirect of the app is %d %s, want it passed on", a.status, a.header.Get("Location"))
	}
	if a.header.Get("Clear-Site-Data") != "" || a.header.Get("Content-Security-Policy") != "default-src 'self'" {
		t.Errorf("the headers of the answer are %v", a.header)
	}
}

// Responses of apps have the app's headers, and Portico's own responses have
// Portico's.
func TestHeadersOfAnswers(t *testing.T) {
	t.Parallel()
	u := echoApp(t)
	s := start(t, behind(u.URL))
	cookie := s.person("mara@x.test")
	app := s.get("/", "Cookie: "+cookie)
	for _, name := range []string{"Content-Security-Policy", "Cache-Control", "Cross-Origin-Opener-Policy", "Permissions-Policy", "Referrer-Policy", "X-Content-Type-Options"} {
		if got := app.header.Get(name); got != "" && got != "private" {
			t.Errorf("the app's answer has our %s", name)
		}
		if own := s.get("/", navigate); own.header.Get(name) == "" {
			t.Errorf("our own answer has no %s: %d %v", name, own.status, own.header)
		}
	}
	if len(app.header["X-Request-Id"]) != 1 || app.header.Get("X-Request-Id") != app.echoed(t).Header.Get("X-Request-Id") {
		t.Error("the app does not know the request's id")
	}
}

// Apps share a host by path, or have hosts of their own.
func TestSeveralApps(t *testing.T) {
	t.Parallel()
	root, shop, wiki := echoApp(t), echoApp(t), echoApp(t)
	parse := func(u *upstream) *url.URL { p, _ := url.Parse(u.URL); return p }
	s := start(t, behind(root.URL, "public /*"), func(c *config.Config) {
		c.Apps = []config.App{
			{Name: "shop", Path: "/shop", Upstream: parse(shop), Rules: []string{"public /shop/*"}, Key: "app.1", UpstreamTimeout: 20 * time.Second},
			{Name: "wiki", Host: "wiki.test", Path: "/", Upstream: parse(wiki), Rules: []string{"public /*"}, Key: "app.2", UpstreamTimeout: 20 * time.Second},
			{Name: "away", Path: "/away", Upstream: &url.URL{Scheme: "http", Host: "127.0.0.1:1"}, Rules: []string{"public /away/*"}, Key: "app.3", UpstreamTimeout: 20 * time.Second},
		}
	})
	for request, want := range map[string]*upstream{
		"/x": root, "/shop": shop, "/shop/x": shop, "/shopping": root, "/x @wiki.test": wiki, "/shop/x @wiki.test": wiki, "/x @WIKI.test:80": wiki,
		"/auth/signin @wiki.test": nil, "/auth/assets/x @wiki.test": nil, "/x @evil.test": nil, "/x @wiki.test.": nil, "/x @wiki.test:81": nil,
	} {
		target, host, _ := strings.Cut(request, " @")
		before := [3]int{len(root.asked()), len(shop.asked()), len(wiki.asked())}
		if host == "" {
			host = s.host
		}
		a := s.get(target, "Host: "+host)
		for i, u := range []*upstream{root, shop, wiki} {
			if asked := len(u.asked()) > before[i]; asked != (u == want) {
				t.Errorf("%s: app %d was asked: %v (%d)", request, i, asked, a.status)
			}
		}
	}
	for range 2 {
		a := s.get("/away/x", navigate)
		if a.status != http.StatusBadGateway || !strings.Contains(a.body, "This app isn't responding") || !strings.Contains(a.body, `"detail":"Try again in a few minutes."`) || !strings.Contains(a.body, `"next":"/away/x"`) || a.header.Get("Refresh") != "" {
			t.Errorf("an app that is away: %d %s", a.status, a.body)
		}
		if a := s.get("/away/x", fetch); a.status != http.StatusBadGateway || !strings.Contains(a.body, `"code":"app.down"`) {
			t.Errorf("fetched from an app that is away: %d %s", a.status, a.body)
		}
	}
	if !strings.Contains(s.log.String(), "app away") {
		t.Error("the log does not name the app that is away")
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	slow := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-release })
	u := newUpstream(t, slow)
	t.Cleanup(func() { close(release) })
	s := start(t, func(c *config.Config) {
		up, _ := url.Parse(u)
		c.Apps = []config.App{{Name: "slow", Path: "/", Upstream: up, Rules: []string{"public /*"}, Key: "app.1", UpstreamTimeout: 100 * time.Millisecond}}
	})
	if a := s.get("/", fetch); a.status != http.StatusGatewayTimeout || !strings.Contains(a.body, `"code":"app.slow"`) {
		t.Errorf("an app that is slow: %d %s", a.status, a.body)
	}
}

// SEC-155: if a request cannot be decided, it is refused. Public paths remain
// available, to nobody, and nothing that the app has stored for the user is deleted.
func TestFailsClosed(t *testing.T) {
	t.Parallel()
	u := echoApp(t)
	s := start(t, behind(u.URL, "public /public/*", "public /evil", "signed-in /*"))
	own := "Cookie: "
	for _, set := range (&http.Response{Header: s.get("/evil", "Cookie: "+s.person("mara@x.test")).header}).Cookies() {
		own += set.Name + "=" + set.Value + "; "
	}
	cookie := s.signIn("mara@x.test") // a session that no memory has
	s.broken = true
	if err := s.app.Store.Close(); err != nil {
		t.Fatal(err)
	}
	for _, lines := range []string{fetch, navigate} {
		if a := s.get("/x", lines, "Cookie: "+cookie); a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") == "" {
			t.Errorf("without a database: %d", a.status)
		}
	}
	if a := s.get("/public/x", "Cookie: "+cookie); a.status != 200 || a.echoed(t).Header.Get("X-Portico-User") != "" {
		t.Errorf("a public path without a database: %d", a.status)
	}
	if got := s.get("/public/x", own+cookie).echoed(t).Header.Get("Cookie"); got != "" {
		t.Errorf("the app gets %q for nobody", got)
	}
	evil := s.get("/evil", own+cookie)
	if lines := strings.Join(evil.header["Set-Cookie"], "\n"); !strings.Contains(lines, "mine=1") || strings.Contains(lines, "Max-Age=0") || evil.header.Get("Clear-Site-Data") != "" {
		t.Errorf("the browser is told %v", evil.header)
	}
	if seen := u.asked(); len(seen) != 4 {
		t.Errorf("the app was asked: %v", seen)
	}
}
