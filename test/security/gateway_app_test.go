package security

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/testform"
)

// claimed returns the header names by which a client can claim an identity.
func claimed() []string {
	names := []string{"Remote-User", "Remote-Groups"}
	for _, part := range []string{"User", "Email", "Name", "Roles", "Token", "Session-Age", "Session", "Groups"} {
		names = append(names, "X-Portico-"+part)
	}
	return names
}

// In any spelling and on any path, the app must get our value of each identity
// header once, or none.
func TestSEC146_ClientIdentityHeadersNeverReachTheApp(t *testing.T) {
	announce(t)
	t.Parallel()
	app := newApp(t, tempers()["raw"])
	s := start(t, protects(app, publicAndAdmin()...), func(c *config.Config) { c.App.Headers = []string{"Remote-User: id"} })
	v := s.staff()
	id := s.account(v).ID
	spellings := []func(string) string{
		func(n string) string { return n }, strings.ToLower, strings.ToUpper,
		func(n string) string { return strings.ReplaceAll(n, "-", "_") },
		func(n string) string { return strings.Replace(n, "-", "_", 1) },
		func(n string) string { return strings.ReplaceAll(n, "-", ".") },
		func(n string) string { return "HTTP_" + strings.ToUpper(strings.ReplaceAll(n, "-", "_")) },
	}
	for who, session := range map[string]string{"signed in": v.cookieLine(), "signed out": "a=b"} {
		for _, target := range []string{"/public/x", "/app/x"} {
			for i, spell := range spellings {
				for _, value := range []string{"evil", "", "evil, evil", "evil\r\n{name}: evil"} {
					request := "GET " + target + " HTTP/1.1\r\nHost: portico.test\r\nSec-Fetch-Mode: cors\r\nCookie: " + session + "\r\nConnection: close\r\n"
					for _, name := range claimed() {
						request += spell(name) + ": " + strings.ReplaceAll(value, "{name}", spell(name)) + "\r\n"
					}
					answers := s.raw(request + "\r\n")
					if len(answers) != 1 || answers[0].status != 200 && (who == "signed in" || target == "/public/x") {
						t.Fatalf("%s, %s, spelling %d: %v", who, target, i, answers)
					}
				}
			}
		}
	}
	for _, e := range app.asked() {
		for name, values := range e.Variables {
			ours := strings.HasPrefix(name, "HTTP_X_PORTICO_") || strings.HasPrefix(name, "HTTP_REMOTE_")
			if strings.Contains(strings.Join(values, ","), "evil") || ours && len(values) != 1 {
				t.Fatalf("the app got %s: %q", name, values)
			}
		}
		want := id
		if e.Header.Get("X-Portico-User") == "" {
			want = ""
			if !strings.HasPrefix(e.Target, "/public") {
				t.Fatal("the app got a request for a protected page without a session")
			}
		}
		if got := e.Header.Get("X-Portico-User") + e.Header.Get("Remote-User"); got != want+want {
			t.Errorf("the app was told %q", got)
		}
	}
}

// The same with names that no client library sends.
func TestSEC147_LookAlikeHeaderNames(t *testing.T) {
	announce(t)
	t.Parallel()
	app := newApp(t, tempers()["raw"])
	s := start(t, protects(app, publicAndAdmin()...))
	for _, line := range []string{
		"X-Portico-User : evil", "X-Portico-User\u00a0: evil", "X-Portico-User\t: evil", " X-Portico-User: evil", "X-Portico-User\x00: evil", "X!Portico!User: evil", "X~Portico-User: evil",
		"X-Pörtico-User: evil", "x-A: b\n X-Portico-User: evil", "X-A: b\rX-Portico-User: evil", "X-Portico--User: evil", "X-Portico-User-: evil",
	} {
		s.raw("GET /public/x HTTP/1.1\r\nHost: portico.test\r\n" + line + "\r\nConnection: close\r\n\r\n")
	}
	for _, e := range app.asked() {
		for name, values := range e.Variables {
			if strings.Contains(strings.Join(values, ","), "evil") && strings.HasPrefix(name, "HTTP_X_PORTICO_") {
				t.Errorf("the app got %s: %q", name, values)
			}
		}
	}
}

func TestSEC148_HopByHopAbuse(t *testing.T) {
	announce(t)
	t.Parallel()
	app := newApp(t, tempers()["raw"])
	s := start(t, protects(app, publicAndAdmin()...))
	v := s.staff("admin")
	id := s.account(v).ID
	for _, lines := range []string{
		"Connection: close, X-Portico-User, X-Forwarded-For, X-Forwarded-Proto, Cookie, Authorization", "connection: x-portico-user, x-portico-roles,x-portico-token",
		"Connection: close\r\nConnection: X-Portico-User\r\nConnection: X-Forwarded-Host", "Keep-Alive: X-Portico-User", "Proxy-Connection: X-Portico-User", "TE: X-Portico-User",
		"Trailer: X-Portico-User", "Upgrade: X-Portico-User\r\nConnection: Upgrade, X-Portico-User",
	} {
		answers := s.raw("GET /admin/x HTTP/1.1\r\nHost: portico.test\r\nCookie: " + v.cookieLine() + "\r\n" + lines + "\r\n\r\n")
		if len(answers) == 0 {
			t.Fatalf("%s: no answer", lines)
		}
		h := answers[0].echoed().Header
		if h.Get("X-Portico-User") != id || h.Get("X-Portico-Roles") != "admin" || h.Get("X-Portico-Token") == "" || h.Get("X-Forwarded-Proto") != "https" || h.Get("X-Forwarded-Host") != "portico.test" || h.Get("X-Forwarded-For") != "127.0.0.1" {
			t.Errorf("%s: the app got %v", lines, h)
		}
	}
}

// Forwarding headers of a client must not choose the host, path or method of a
// rule.
func TestSEC149_GatewayIgnoresForwardedTargets(t *testing.T) {
	announce(t)
	t.Parallel()
	app := newApp(t, tempers()["raw"])
	for name, trust := range map[string]option{"no proxy": func(*config.Config) {}, "a trusted proxy": trusting()} {
		s := start(t, protects(app, publicAndAdmin()...), trust)
		for _, h := range []http.Header{
			{"X-Forwarded-Uri": {"/public"}}, {"X-Original-Url": {"/public"}}, {"X-Rewrite-Url": {"/public"}}, {"X-Forwarded-Method": {"OPTIONS"}},
			{"X-Forwarded-Host": {"public.test"}}, {"X-Forwarded-Prefix": {"/public"}}, {"X-Forwarded-Path": {"/public"}}, {"X-Http-Method-Override": {"OPTIONS"}},
		} {
			h["Sec-Fetch-Mode"] = []string{"cors"}
			s.visitor().do("GET", "/admin/x", "", h).refused(401, "session.required")
		}
		if n := len(app.asked()); n > 0 {
			t.Errorf("%s: the app was asked %d times", name, n)
		}
	}
}

// spelledAdmin returns targets that some app could take for its admin page.
func spelledAdmin() []string {
	return []string{
		"/public/../admin", "/public/..%2fadmin", "/public/%2e%2e/admin", "/public/%252e%252e/admin", "//admin", "/./admin", "/public/..;/admin", "/public;/../admin",
		`/public\..\admin`, "/public%5c..%5cadmin", "/ADMIN", "/admin%00", "/admin%23/public", "/admin#/public", "/admin?/public", "/public%c0%ae%c0%ae/admin",
		"/public%E3%80%82", "/admin/.", "/admin%20", "*", "/public/%2e%2e%2fadmin", "/public/.%2e/admin", "/public/..%5cadmin", "/public/%u002e%u002e/admin", "/public/..%c0%af/admin",
		"/public/..%255cadmin", "/public//..//admin", "/%61dmin", "/public/x/../../admin", "/admin;a=b", "/admin/", "/Admin/", "/admin.", "/public/..", "/public/.%00./admin", "/public/..%0aadmin",
		"http://portico.test/admin", "http://evil.test/public/../admin", "/public/%ef%bc%8e%ef%bc%8e/admin", "/public/%e2%80%a5/admin", "/aDmIn", "/admin%2f", "/public%2f..%2fadmin",
		"/admin%2fx", "/admin;x", "/admin;/x", "/admin%3bx", "/admin//x", "/app;/../admin", "/;/admin", "/;x//admin", "/%2fadmin", "/%2Fadmin/x", "/public/..;x=y/admin", "/public/..%3b/admin",
		"/public/%2e%2e;/admin", "/public%2f%2e%2e%2fadmin", "/public/.;/..;/admin", "/admin/;/x", "/ADMIN%2Fx", "/admin;x%2Fy", "/app/..%2f..%2fadmin", "/public/a%2f..%2f..%2fadmin",
		"///admin", "/public/a;b%2F..%2F../admin", "/admin%3B%2Fx", "/%EF%BC%8Fadmin", "/public/a%2F%E2%80%A5%2F%E2%80%A5%2Fadmin", "/admin%2F%2Fx", "/admin.;x", "/admin%20;/x", "//portico.test/admin",
		"/public/%252F..%252Fadmin", "/public/..%252f%2Fadmin", "/admin%252Fx", "/public/a;/%2e%2e%2Fadmin", "/admin%2Ex/..", "/public%2F..;%2Fadmin",
	}
}

// asksForAdmin sends each of these targets with and without the visitor's session, and fails if
// the app shows its admin page. It returns what the app was asked.
func (v *visitor) asksForAdmin(app *protectedApp) []echo {
	v.Helper()
	for _, target := range spelledAdmin() {
		for _, cookie := range []string{v.cookieLine(), "a=b"} {
			for _, a := range v.raw("GET " + target + " HTTP/1.1\r\nHost: portico.test\r\nCookie: " + cookie + "\r\nSec-Fetch-Mode: cors\r\nConnection: close\r\n\r\n") {
				if a.status >= 500 {
					v.Errorf("%s gets status %d", target, a.status)
				}
			}
		}
	}
	asked := app.asked()
	for _, e := range asked {
		if e.Admin {
			v.Errorf("the app showed its admin page for %s", e.Target)
		}
	}
	return asked
}

// However a path is spelled and however the app reads it, a user without the
// role must not reach the admin page.
func TestSEC150_PathSpellingCannotPassAPublicRule(t *testing.T) {
	announce(t)
	t.Parallel()
	targets := spelledAdmin()
	for temper, page := range tempers() {
		t.Run(temper, func(t *testing.T) {
			t.Parallel()
			app := newApp(t, page)
			s := start(t, protects(app, publicAndAdmin()...))
			v := s.staff("editor")
			for _, e := range v.asksForAdmin(app) {
				if !slices.Contains(targets, e.Target) {
					t.Errorf("the app got the target %s, which no request had", e.Target)
				}
			}
			// A user with the role reaches the page, under exactly the
			// requested target.
			if e := s.staff("admin").do("GET", "/admin/x?y=..%2f", "", script()).echoed(); e.Target != "/admin/x?y=..%2f" || !e.Admin {
				t.Errorf("the admin page with the role: %+v", e)
			}
		})
	}
}

func TestSEC153_NoBackDoorToApps(t *testing.T) {
	announce(t)
	t.Parallel()
	app := newApp(t, tempers()["raw"])
	s := start(t, protects(app, publicAndAdmin()...))
	for _, agent := range []string{"kube-probe/1.0", "GoogleHC/1.0", "ELB-HealthChecker/2.0"} {
		for _, target := range []string{"/app/x", "/admin/x", "/healthz", "/ping", "/metrics", "/debug/pprof/"} {
			h := script()
			h.Set("User-Agent", agent)
			if a := s.visitor().do("GET", target, "", h); a.status != 401 && a.status != 403 {
				t.Errorf("%s at %s gets status %d", agent, target, a.status)
			}
		}
	}
	if seen := app.asked(); len(seen) > 0 {
		t.Errorf("the app was asked: %v", seen)
	}
}

func TestSEC155_AppsAreClosedWhenNobodyCanSayWhoIsThere(t *testing.T) {
	announce(t)
	t.Parallel()
	app := newApp(t, tempers()["raw"])
	s := start(t, protects(app, publicAndAdmin()...))
	v := s.staff("admin")
	token := v.cookie("session")
	s.restart()
	s.breakStore()
	w := s.with(token)
	for _, h := range []http.Header{script(), {"Accept": {"text/html"}}} {
		if a := w.do("GET", "/admin/x", "", h); a.status != 503 {
			t.Errorf("a protected page without a database gets status %d", a.status)
		}
	}
	if n := len(app.asked()); n > 0 {
		t.Errorf("the app was asked %d times", n)
	}
	if e := w.do("GET", "/public/x", "", script()).echoed(); e.Header.Get("X-Portico-User") != "" {
		t.Error("a public page without a database names somebody")
	}
}

func TestSEC156_SecretsStayWithTheirOwners(t *testing.T) {
	announce(t)
	t.Parallel()
	app := newApp(t, tempers()["raw"])
	s := start(t, protects(app, publicAndAdmin()...))
	v := s.staff("admin")
	v.cookies["theirs"] = "1"
	h := v.do("GET", "/admin/x", "", http.Header{"Authorization": {"Bearer the app's"}}).echoed().Header
	if h.Get("Cookie") != "theirs=1" || h.Get("Authorization") != "Bearer the app's" {
		t.Errorf("the app got the cookies %q and %q", h["Cookie"], h["Authorization"])
	}
	text, _ := json.Marshal(app.asked())
	for name, value := range v.cookies {
		if name != "theirs" && strings.Contains(string(text), value) {
			t.Errorf("the app got the value of %s", name)
		}
	}
	a := v.do("GET", "/public/evil", "", nil)
	own := func(line string) bool { return strings.HasPrefix(line, "__Host-portico-user-app=") } // Portico sets this one
	if set := slices.DeleteFunc(slices.Clone(a.header["Set-Cookie"]), own); !slices.Equal(set, []string{"x=1; Domain=portico.test"}) || a.header.Get("Clear-Site-Data") != "" {
		t.Errorf("the app has set %q, and cleared %q", set, a.header.Get("Clear-Site-Data"))
	}
	if v.whoami() == "" {
		t.Error("the app has signed the person out")
	}
}

// An app must see one request where the client sent one.
func TestSEC157_FramingTowardsApps(t *testing.T) {
	announce(t)
	t.Parallel()
	app := newApp(t, tempers()["raw"])
	s := start(t, protects(app, publicAndAdmin()...))
	inner := "GET /public/smuggled HTTP/1.1\r\nHost: portico.test\r\n\r\n"
	for i, framing := range []string{
		"Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "Transfer-Encoding: chunked, identity\r\nContent-Length: 2\r\n\r\n{}", "Transfer-Encoding: xchunked\r\nContent-Length: 2\r\n\r\n{}",
		"Transfer-Encoding : chunked\r\nContent-Length: 2\r\n\r\n{}", "Content-Length: 2\r\nContent-Length: 10\r\n\r\n{}", "Transfer-Encoding: chunked\r\n\r\n2\n{}\n0\n\n", "Content-Length: -1\r\n\r\n",
		"Transfer-Encoding: chunked\r\n\r\n0\r\nX-Portico-User: evil\r\n\r\n", "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
	} {
		if answers := s.raw(fmt.Sprintf("POST /public/%d HTTP/1.1\r\nHost: portico.test\r\n%s%s", i, framing, inner)); len(answers) > 1 {
			t.Errorf("framing %d has %d answers", i, len(answers))
		}
	}
	seen := map[string]bool{}
	for _, e := range app.asked() {
		if seen[e.Target] || strings.Contains(e.Target, "smuggled") || e.Header.Get("X-Portico-User") != "" || e.Header.Get("Upgrade") != "" {
			t.Errorf("the app was asked for %s with %v", e.Target, e.Header)
		}
		seen[e.Target] = true
	}
}

// socketApp is an app that accepts WebSockets and echoes their messages.
func socketApp(t *testing.T) *protectedApp {
	t.Helper()
	app := newApp(t, tempers()["raw"])
	plain := app.Config.Handler
	app.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
			plain.ServeHTTP(w, r)
			return
		}
		c, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer c.Close()
		_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
		_, _ = io.Copy(c, rw)
	})
	return app
}

// socket opens a WebSocket and returns the status.
func (v *visitor) socket(target string, lines ...string) (net.Conn, int) {
	v.Helper()
	c := v.connect()
	request := "GET " + target + " HTTP/1.1\r\nHost: portico.test\r\nCookie: " + v.cookieLine() +
		"\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
	for _, line := range lines {
		request += line + "\r\n"
	}
	if _, err := io.WriteString(c, request+"\r\n"); err != nil {
		v.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		v.Fatal(err)
	}
	return c, resp.StatusCode
}

func TestSEC158_WebSocketOriginAndAuthentication(t *testing.T) {
	announce(t)
	t.Parallel()
	app := socketApp(t)
	s := start(t, protects(app, publicAndAdmin()...))
	v := s.staff()
	for _, origin := range []string{"https://evil.test", "null", "http://portico.test", "https://portico.test.evil.test", "https://sub.portico.test", "https://portico.test:444", ""} {
		for _, target := range []string{"/app/ws", "/public/ws"} {
			if _, status := v.socket(target, "Origin: "+origin); status != 403 {
				t.Errorf("%s from %q gets status %d", target, origin, status)
			}
		}
	}
	if _, status := v.socket("/app/ws"); status != 403 {
		t.Errorf("from nowhere: %d", status)
	}
	if _, status := s.visitor().socket("/app/ws?token=canary-in-the-query", "Origin: "+s.origin); status != 401 {
		t.Errorf("signed out: %d", status)
	}
	if strings.Contains(s.log.String(), "canary-in-the-query") {
		t.Error("the query is in the log")
	}
	if c, status := v.socket("/app/ws", "Origin: "+s.origin); status != 101 {
		t.Errorf("from the app's own page: %d", status)
	} else if _, err := io.WriteString(c, "x"); err != nil {
		t.Error(err)
	}
}

// A WebSocket and an event stream must end within 5 s of their session.
func TestSEC074_OpenStreamsEndWithTheSession(t *testing.T) {
	announce(t)
	t.Parallel()
	for name, end := range map[string]func(s *site, v *visitor){
		"signed out":             func(_ *site, v *visitor) { v.post("signout", object{}).must(200) },
		"password set":           func(s *site, v *visitor) { s.setPassword(s.account(v)) },
		"the end of the account": func(s *site, v *visitor) { s.comes(v.id()) },
		"closed":                 func(s *site, v *visitor) { s.disable(s.account(v).Address.Mail) },
		"ended elsewhere": func(s *site, v *visitor) {
			w := s.visitor()
			w.signIn(s.account(v).Address.Mail, good).must(200)
			w.do("DELETE", "/auth/api/sessions", "", w.ours("")).must(204)
		},
		"the absolute end": func(s *site, _ *visitor) { s.clock.Advance(31 * 24 * time.Hour) },
		"the role is taken": func(s *site, v *visitor) {
			_ = s.app.Operator.SetUserRoles(s.Context(), flow.ByOperator, s.account(v).ID, nil)
		},
		"a stricter rule": func(s *site, _ *visitor) {
			s.follows(func(c *config.Config) { c.App.Rules = []string{"role:owner /admin/*"} })
		},
		"no rule": func(s *site, _ *visitor) {
			s.follows(func(c *config.Config) { c.App.Rules = []string{"public /public/*"} })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, protects(socketApp(t), publicAndAdmin()...))
			v := s.staff("admin")
			c, status := v.socket("/admin/ws", "Origin: "+s.origin)
			if status != 101 {
				t.Fatalf("the WebSocket gets status %d", status)
			}
			end(s, v)
			begun := time.Now()
			_ = c.SetReadDeadline(begun.Add(testform.Limit(8 * time.Second)))
			const closing = "\x88" // only the close frame may come (RFC 6455 5.5.1)
			last, _ := io.ReadAll(io.LimitReader(c, 256))
			if time.Since(begun) > testform.Limit(5*time.Second) || len(last) == 256 || !strings.HasPrefix(string(last), closing) {
				t.Errorf("after %v: %q", time.Since(begun), last)
			}
		})
	}
}

// A user's name and address must not break a header.
func TestSEC159_HeaderValuesAreSafe(t *testing.T) {
	announce(t)
	t.Parallel()
	app := newApp(t, tempers()["raw"])
	s := start(t, protects(app, "signed-in /*"))
	for _, name := range []string{"Mara\r\nX-Portico-Roles: admin", "a\x01b", "a,b;c", "Jürgen \u202etxt.exe", strings.Repeat("ü", 100), "100%"} {
		address := s.named(name)
		v := s.visitor()
		v.signIn(address, good).must(200)
		h := v.do("GET", "/", "", script()).echoed().Header
		sent := h.Get("X-Portico-Name")
		if strings.ContainsFunc(sent, func(r rune) bool { return r < ' ' || r > '~' }) || h.Get("X-Portico-Roles") != "" || len(sent) > 1024 {
			t.Errorf("%q is sent as %q", name, sent)
		}
		payload, err := base64.RawURLEncoding.DecodeString(strings.Split(h.Get("X-Portico-Token"), ".")[1])
		if err != nil || !json.Valid(payload) {
			t.Errorf("the token of %q is broken: %v", name, err)
		}
	}
	for _, role := range []string{"users,admins", "admins;x", "a b", "x\r\ny", strings.Repeat("a", 65)} {
		if _, err := s.app.Operator.CreateUser(t.Context(), flow.ByOperator, fresh("n"), "", good, role); err == nil {
			t.Errorf("there is a role %q", role)
		}
	}
	most := make([]string, 32)
	for i := range most {
		most[i] = fmt.Sprintf("r%02d%s", i, strings.Repeat("x", 60))
	}
	if got := s.staff(most...).do("GET", "/", "", script()).echoed().Header.Get("X-Portico-Roles"); got != strings.Join(most, ",") {
		t.Errorf("the most roles are sent as %d bytes", len(got))
	}
}

// The gateway must connect to no server but the configured upstream.
func TestSEC160_UpstreamTargetIsFixed(t *testing.T) {
	announce(t)
	t.Parallel()
	app := newApp(t, tempers()["raw"])
	port, connections := inside(t)
	internal := "127.0.0.1:" + port
	s := start(t, protects(app, "public /*"))
	for _, request := range []string{
		"GET http://" + internal + "/ HTTP/1.1\r\nHost: portico.test", "GET http://" + internal + "/ HTTP/1.1\r\nHost: " + internal, "CONNECT " + internal + " HTTP/1.1\r\nHost: " + internal,
		"GET / HTTP/1.1\r\nHost: " + internal, "GET / HTTP/1.1\r\nHost: portico.test\r\nX-Forwarded-Host: " + internal, "GET //" + internal + "/path HTTP/1.1\r\nHost: portico.test",
		"GET @" + internal + " HTTP/1.1\r\nHost: portico.test", "GET /@" + internal + " HTTP/1.1\r\nHost: portico.test", "GET / HTTP/1.1\r\nHost: portico.test@" + internal,
		"GET / HTTP/1.1\r\nHost: portico.test\r\nForwarded: host=" + internal,
	} {
		s.raw(request + "\r\nConnection: close\r\n\r\n")
	}
	a := s.visitor().do("GET", "/public/evil", "", nil)
	if a.status != 302 || a.header.Get("Location") != "http://169.254.169.254/latest" {
		t.Errorf("a redirect of the app gets status %d %s", a.status, a.header.Get("Location"))
	}
	if n := connections.Load(); n != 0 {
		t.Errorf("another address was dialed %d times", n)
	}
	for _, e := range app.asked() {
		if e.Host != "portico.test" {
			t.Errorf("the app was asked as %s", e.Host)
		}
	}
}

// A role counts from the next request after it was given or taken away.
func TestSEC071_RolesApplyAtTheNextRequest(t *testing.T) {
	announce(t)
	t.Parallel()
	app := newApp(t, tempers()["raw"])
	s := start(t, protects(app, publicAndAdmin()...))
	v := s.staff()
	id := s.account(v).ID
	for _, roles := range [][]string{nil, {"admin"}, {"editor"}, {"editor", "admin"}, nil} {
		if err := s.app.Operator.SetUserRoles(t.Context(), flow.ByOperator, id, roles); err != nil {
			t.Fatal(err)
		}
		a := v.do("GET", "/admin/x", "", script())
		if want := slices.Contains(roles, "admin"); (a.status == 200) != want {
			t.Errorf("with %v: %d", roles, a.status)
		}
		h := v.do("GET", "/app/x", "", script()).echoed().Header
		if got := strings.Split(h.Get("X-Portico-Roles"), ","); len(got) != max(1, len(roles)) {
			t.Errorf("with %v the app is told %q", roles, got)
		}
	}
}

// account returns the account of a visitor.
func (s *site) account(v *visitor) account.Account {
	s.Helper()
	a, err := s.app.Operator.User(s.Context(), v.whoami())
	if err != nil {
		s.Fatal(err)
	}
	return a
}

// trusting makes every loopback address a trusted proxy.
func trusting() option {
	return func(c *config.Config) { c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} }
}

// setPassword sets a new password as `portico user set-password` does.
func (s *site) setPassword(a account.Account) {
	s.Helper()
	if err := s.app.Operator.SetUserPassword(s.Context(), flow.ByOperator, a, other); err != nil {
		s.Fatal(err)
	}
}

// Forward-auth believes the description of a request only from a trusted proxy,
// and only if it has one meaning.
func TestSEC149_ForwardAuthInput(t *testing.T) {
	announce(t)
	t.Parallel()
	app := newApp(t, tempers()["raw"])
	describe := func(method, uri string) http.Header {
		h := script()
		h["X-Forwarded-Method"], h["X-Forwarded-Proto"], h["X-Forwarded-Host"], h["X-Forwarded-Uri"] = []string{method}, []string{"https"}, []string{"portico.test"}, []string{uri}
		return h
	}
	guarded := func(c *config.Config) { // another proxy forwards to the app
		c.Apps = []config.App{{Name: "guarded", Path: "/", Rules: publicAndAdmin(), Key: "app.1"}}
	}
	stranger := start(t, guarded).visitor()
	for _, h := range []http.Header{describe("GET", "/public/x"), script()} {
		stranger.do("GET", "/auth/api/check", "", h).refused(403, "gateway.untrusted")
	}
	behind := start(t, protects(app, publicAndAdmin()...), trusting())
	if a := behind.staff().do("GET", "/auth/api/check", "", describe("GET", "/public/x")); a.status != 404 || a.header.Get("X-Portico-Token") != "" {
		t.Errorf("asked about an app that Portico forwards to itself: %d", a.status)
	}
	s := start(t, guarded, trusting())
	v := s.staff()
	v.do("GET", "/auth/api/check", "", describe("GET", "/public/x")).must(200)
	v.do("GET", "/auth/api/check", "", describe("GET", "/admin/x")).refused(403, "rule.role")
	s.visitor().do("GET", "/auth/api/check", "", describe("GET", "/admin/x")).refused(401, "session.required")
	for name, change := range map[string]func(h http.Header){
		"the target twice":    func(h http.Header) { h.Add("X-Forwarded-Uri", "/public/x") },
		"the method twice":    func(h http.Header) { h.Add("X-Forwarded-Method", "OPTIONS") },
		"no method":           func(h http.Header) { h.Del("X-Forwarded-Method") },
		"no host":             func(h http.Header) { h.Del("X-Forwarded-Host") },
		"another way as well": func(h http.Header) { h.Set("X-Original-Url", "https://portico.test/public/x") },
		"a spelling":          func(h http.Header) { h["X-Forwarded-Uri"] = []string{"/public/..%2fadmin"} },
		"a fragment":          func(h http.Header) { h["X-Forwarded-Uri"] = []string{"/admin#/public"} },
		"plain http":          func(h http.Header) { h["X-Forwarded-Proto"] = []string{"http"} },
	} {
		h := describe("GET", "/public/x")
		change(h)
		if a := v.do("GET", "/auth/api/check", "", h); a.status != 400 {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	// The answer for a public path names the user, or says with empty headers
	// that there is none.
	h := s.visitor().do("GET", "/auth/api/check", "", describe("GET", "/public/x")).must(200).header
	for _, name := range []string{"X-Portico-User", "X-Portico-Roles", "X-Portico-Token"} {
		if values, there := h[name]; !there || strings.Join(values, "") != "" {
			t.Errorf("%s is %q (%v), want an empty one", name, values, there)
		}
	}
	if n := len(app.asked()); n > 0 {
		t.Errorf("asking has reached the app %d times", n)
	}
}
