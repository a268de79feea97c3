package proxies

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	client "portico.internal/clients/go"
	"portico/internal/cli/spoof"
)

func TestNginx(t *testing.T) {
	t.Parallel()
	binary := program(t, "nginx")
	for name, test := range map[string]struct{ settings, page string }{
		"asks": {"forward-auth.md", "nginx.md"}, "forwards to the gateway": {"apache.md", "../operating/serving.md"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			try(t, start(t, test.settings, func(p *place) *exec.Cmd { return nginx(t, p, binary, test.page) }))
		})
	}
}

func nginx(t *testing.T, p *place, binary, from string) *exec.Cmd {
	t.Helper()
	return nginxOf(t, p, binary, page(t, from, "nginx"))
}

func nginxOf(t *testing.T, p *place, binary, text string) *exec.Cmd {
	t.Helper()
	conf := "daemon off; master_process off; pid nginx.pid; error_log stderr;\nevents {}\nhttp {\naccess_log off;\n"
	for _, temporary := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		conf += temporary + "_temp_path " + p.dir + "/" + temporary + ";\n"
	}
	conf += p.local(text) + "}\n"
	p.write(filepath.Join(p.dir, "portico-headers.conf"), page(t, "nginx.md", "conf"))
	return exec.Command(binary, "-p", p.dir, "-e", "stderr", "-c", p.write(filepath.Join(p.dir, "nginx.conf"), conf))
}

func TestCaddy(t *testing.T) {
	t.Parallel()
	binary := program(t, "caddy")
	try(t, start(t, "forward-auth.md", func(p *place) *exec.Cmd { return caddyOf(p, binary, page(t, "caddy.md", "caddyfile")) }))
}

// caddyOf runs a configuration by name and port as on the page. Only the
// certificate and the port differ, because the test has no certificate
// authority.
func caddyOf(p *place, binary, text string) *exec.Cmd {
	p.Helper()
	_, port, _ := strings.Cut(p.proxy, ":")
	global := "{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n\thttps_port " + port + "\n\tdefault_bind 127.0.0.1\n\tlocal_certs\n}\n"
	file := p.write(filepath.Join(p.dir, "Caddyfile"), global+p.local(text))
	command := exec.Command(binary, "run", "--adapter", "caddyfile", "--config", file)
	command.Env = []string{"HOME=" + p.dir, "XDG_DATA_HOME=" + p.dir, "XDG_CONFIG_HOME=" + p.dir}
	return command
}

func TestHAProxy(t *testing.T) {
	t.Parallel()
	binary := program(t, "haproxy")
	try(t, start(t, "forward-auth.md", func(p *place) *exec.Cmd { return haproxy(p, binary) }))
}

func haproxy(p *place, binary string) *exec.Cmd {
	p.Helper()
	p.write(filepath.Join(p.dir, "portico.lua"), p.local(page(p.T, "haproxy.md", "lua")))
	return exec.Command(binary, "-db", "-f", p.write(filepath.Join(p.dir, "haproxy.cfg"), p.local(page(p.T, "haproxy.md", "haproxy"))))
}

func TestApache(t *testing.T) {
	t.Parallel()
	binary := program(t, "apache2")
	try(t, start(t, "apache.md", func(p *place) *exec.Cmd { return apacheOf(p, binary, page(t, "apache.md", "apache")) }))
}

func apacheOf(p *place, binary, text string) *exec.Cmd {
	p.Helper()
	const modules = "/usr/lib/apache2/modules/mod_"
	conf := "ServerRoot " + p.dir + "\nPidFile httpd.pid\nErrorLog /dev/stderr\nDefaultRuntimeDir " + p.dir + "\n"
	for _, m := range []string{"mpm_event", "authz_core", "proxy", "proxy_http", "socache_shmcb", "ssl"} {
		conf += "LoadModule " + m + "_module " + modules + m + ".so\n"
	}
	if os.Getuid() == 0 {
		conf += "User nobody\nGroup nogroup\n"
	}
	conf += p.local(text)
	return exec.Command(binary, "-D", "FOREGROUND", "-f", p.write(filepath.Join(p.dir, "httpd.conf"), conf))
}

// try runs the tests of every configuration.
func try(t *testing.T, p *place) {
	admin, id := p.person("admin@example.com", "admin", "editor")
	person, _ := p.person("mara@example.com")
	t.Run("round trip", func(t *testing.T) { roundTrip(t, p, admin, id) })
	t.Run("script", func(t *testing.T) { scripts(t, p) })
	t.Run("cookies", func(t *testing.T) { hiddenCookies(t, p) })
	t.Run("planted cookies", func(t *testing.T) { plantedCookies(t, p) })
	t.Run("WebSocket", func(t *testing.T) { webSockets(t, p, person) })
	t.Run("other protocols", func(t *testing.T) { otherProtocols(t, p, person) })
	t.Run("event stream", func(t *testing.T) { eventStream(t, p, person) })
	t.Run("body", func(t *testing.T) { bodies(t, p, person) })
	t.Run("HTTP/2", func(t *testing.T) { overHTTP2(t, p, person) })
	t.Run("WebSocket over HTTP/2", func(t *testing.T) { socketsOverHTTP2(t, p, person) })
	t.Run("refusals", func(t *testing.T) { refusals(t, p, person) })
	t.Run("spoofed headers", func(t *testing.T) { spoofs(t, p, person) })
	t.Run("trailers", func(t *testing.T) { trailers(t, p, person) })
	t.Run("untrusted headers", func(t *testing.T) { untrustedHeaders(t, p) })
	t.Run("path tricks", func(t *testing.T) { pathTricks(t, p, person) })
	t.Run("check", func(t *testing.T) { checkClosed(t, p, person) })
	t.Run("check-app", func(t *testing.T) { checkApp(t, p) })
	t.Run("sign-out", func(t *testing.T) { signOut(t, p, person) })
}

// roundTrip requests a page of the app without a session, signs in and comes
// back.
func roundTrip(t *testing.T, p *place, admin *visitor, id string) {
	const target = "/app/a%20b?c=d&e=%2F"
	v := p.visitor()
	got := v.get(target, navigation...)
	location, err := url.Parse(got.header.Get("Location"))
	if got.status/100 != 3 || err != nil || location.Path != "/auth/signin" || location.Query().Get("return_to") != target {
		t.Fatalf("a navigation without a session: %d %s", got.status, got.header.Get("Location"))
	}
	if page := v.get(location.RequestURI(), navigation...); page.status != http.StatusOK || !strings.Contains(page.body, "signin") {
		t.Fatalf("the sign-in page: %d %s", page.status, page.body)
	}
	if back := v.signIn("admin@example.com", target); back.status != http.StatusSeeOther || strings.TrimPrefix(back.header.Get("Location"), origin) != target {
		t.Fatalf("the sign-in leads to %d %s %s", back.status, back.header.Get("Location"), back.body)
	}
	p.app.requests()
	e, ok := v.get(target, navigation...).echoed()
	if !ok || e.Target != target || e.Host != "example.com" || len(p.app.requests()) != 1 {
		t.Fatalf("the app got %+v", e)
	}
	for name, want := range map[string]string{
		"X-Portico-User": id, "X-Portico-Email": "admin@example.com", "X-Portico-Name": "M%C3%A4ra Lind", "X-Portico-Roles": "admin,editor",
		"X-Forwarded-Proto": "https", "X-Forwarded-Host": "example.com", "X-Forwarded-For": "127.0.0.1",
	} {
		if values := e.Header[name]; len(values) != 1 || values[0] != want {
			t.Errorf("%s is %q, want %s", name, values, want)
		}
	}
	session := v.cookies["__Host-portico-session"]
	if cookies := e.Header["Cookie"]; len(cookies) != 1 || session == "" || strings.Contains(cookies[0], session) || !strings.Contains(cookies[0], "first=1") || !strings.Contains(cookies[0], "last=2") {
		t.Errorf("the app gets the cookies %q, want its own and not the session", cookies)
	}
	portico, err := client.New(origin, client.Options{Address: "http://" + p.site.Addr})
	if err != nil {
		t.Fatal(err)
	}
	who, err := portico.Verify(t.Context(), e.Header.Get("X-Portico-Token"))
	if err != nil || who.ID != id || who.Name != "Mära Lind" || !who.HasRole("editor") {
		t.Errorf("the token is about %+v (%v)", who, err)
	}
	if got := admin.get("/admin/x", navigation...); got.status != http.StatusOK {
		t.Errorf("an admin: %d %s", got.status, got.body)
	}
}

func scripts(t *testing.T, p *place) {
	p.app.requests()
	got := p.visitor().get("/app/api", script...)
	if got.status != http.StatusUnauthorized || !strings.Contains(got.body, `"signin_url":"`+origin+`/auth/signin"`) || got.header.Get("Location") != "" {
		t.Errorf("a fetch without a session: %d %v %s", got.status, got.header, got.body)
	}
	if seen := p.app.requests(); len(seen) > 0 {
		t.Errorf("the app got %+v", seen)
	}
}

func webSockets(t *testing.T, p *place, person *visitor) {
	for name, test := range map[string]struct {
		v    *visitor
		from string
		want int
	}{
		"a person": {person, origin, http.StatusSwitchingProtocols}, "nobody": {p.visitor(), origin, http.StatusUnauthorized},
		"another site": {person, "https://evil.test", http.StatusForbidden}, "no site": {person, "null", http.StatusForbidden},
	} {
		got := test.v.socket("/app/ws", test.from)
		if got.status != test.want || got.status == http.StatusSwitchingProtocols && (got.body != "ping" || got.header.Get("X-User") == "") {
			t.Errorf("%s: %d %v %s, want %d", name, got.status, got.header, got.body, test.want)
		}
	}
}

// SEC-157: in another protocol than that of WebSockets, a client could send the app requests that nobody has judged.
func otherProtocols(t *testing.T, p *place, person *visitor) {
	for _, lines := range [][]string{
		{"Upgrade: h2c"}, {"Upgrade: H2C"}, {"Upgrade: tcp"}, {"Upgrade: h2c, websocket"}, {"Upgrade: websocket, h2c"},
		{"Upgrade: h2c", "Upgrade: websocket"}, {"Upgrade: websocket", "Upgrade: h2c"},
	} {
		for _, connection := range []string{"Connection: Upgrade", "Connection: Upgrade, HTTP2-Settings"} {
			for _, v := range []*visitor{p.visitor(), person} {
				p.app.requests()
				got := v.open("GET", "/public/x", slices.Concat(lines, script, []string{connection, "HTTP2-Settings: AAMAAABkAAQAAP__"})...)
				if to := got.Header.Get("Upgrade"); got.StatusCode == http.StatusSwitchingProtocols && !strings.EqualFold(to, "websocket") {
					t.Errorf("%q, %s: the client and the app speak %q", lines, connection, to)
				}
				for _, e := range p.app.requests() {
					if to := e.Header["Upgrade"]; len(to) > 0 && !slices.Equal(to, []string{"websocket"}) {
						t.Errorf("%q, %s: the app is asked for %q", lines, connection, to)
					}
				}
			}
		}
	}
}

// An event of the app must arrive while its response continues.
func eventStream(t *testing.T, p *place, person *visitor) {
	response := person.open("GET", "/app/events", script...)
	line, err := bufio.NewReader(response.Body).ReadString('\n')
	if response.StatusCode != http.StatusOK || line != "data: 1\n" {
		t.Errorf("the first event: %d %q (%v)", response.StatusCode, line, err)
	}
}

func bodies(t *testing.T, p *place, person *visitor) {
	const size = 3 << 20 // proxies refuse this size unless they are configured for it
	e, ok := person.do("POST", "/app/save", strings.Repeat("x", size), script...).echoed()
	if !ok || e.Method != "POST" || e.Body != size {
		t.Errorf("the app got %s with %d bytes", e.Method, e.Body)
	}
}

// The requests of a browser over HTTP/2, if the proxy supports it.
func overHTTP2(t *testing.T, p *place, person *visitor) {
	transport := &http.Transport{
		ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // the certificate is self-signed
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, p.proxy)
		},
	}
	defer transport.CloseIdleConnections()
	r, err := http.NewRequestWithContext(t.Context(), "GET", origin+"/app/x?y", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"X-Portico-User": {"evil"}, "X_portico_user": {"evil"}, "Sec-Fetch-Mode": {"cors"}}
	for name, value := range person.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	r.AddCookie(&http.Cookie{Name: "app", Value: "1"})
	response, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var e echo
	if err := json.NewDecoder(response.Body).Decode(&e); err != nil {
		t.Fatal(err)
	}
	if cookies := strings.Join(e.Header["Cookie"], ";"); cookies != "app=1" {
		t.Errorf("%s: the app gets the cookies %q", response.Proto, cookies)
	}
	if user := e.Header["X-Portico-User"]; e.Target != "/app/x?y" || len(user) != 1 || user[0] == "evil" || e.Header["X_portico_user"] != nil {
		t.Errorf("%s: the app got %+v", response.Proto, e)
	}
}

// spelled returns spellings of a header that a layer before the app may fold
// into one of ours.
func spelled(name string) []string {
	return []string{
		name, strings.ToLower(name), strings.ToUpper(name), strings.ReplaceAll(name, "-", "_"), strings.Replace(name, "-", "_", 1), "X-Portico_" + strings.TrimPrefix(name, "X-Portico-"),
		strings.ToLower(strings.ReplaceAll(name, "-", "_")), strings.ReplaceAll(name, "-", "."), "HTTP_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_")),
	}
}

// folded returns the name that CGI and similar interfaces make of a header.
func folded(name string) string {
	name = regexp.MustCompile(`[^a-z0-9]`).ReplaceAllString(strings.ToLower(name), "-")
	return strings.TrimPrefix(name, "http-")
}

// SEC-146 to SEC-148: a client sends headers under our names, or calls ours
// hop-by-hop. The app must get Portico's values.
func spoofs(t *testing.T, p *place, person *visitor) {
	names := []string{
		"X-Portico-User", "X-Portico-Email", "X-Portico-Name", "X-Portico-Roles", "X-Portico-Session-Age", "X-Portico-Token",
		"Remote-User", "Remote-Groups", "X-Remote-User", "X-Original-URL", "X-Rewrite-URL", "X-Forwarded-For", "X-Forwarded-Host",
	}
	for _, v := range []*visitor{p.visitor(), person} {
		for _, name := range names {
			for _, s := range spelled(name) {
				for _, line := range []string{s + ": evil", s + ": evil\r\n" + s + ": evil"} {
					p.app.requests()
					v.get("/public/x", append(script, line)...)
					for _, e := range p.app.requests() {
						for got, values := range e.Header {
							if strings.Contains(strings.Join(values, ","), "evil") && (slices.Contains(names, http.CanonicalHeaderKey(got)) || slices.ContainsFunc(names, func(n string) bool { return folded(n) == folded(got) })) {
								t.Errorf("%q reaches the app as %s: %q", line, got, values)
							}
						}
					}
				}
			}
		}
	}
	for _, line := range []string{
		"Connection: close, X-Portico-User, X-Portico-Token, X-Forwarded-For, Cookie", "Connection: x-portico-user\r\nConnection: x-portico-token",
		"Keep-Alive: X-Portico-User", "Proxy-Connection: X-Portico-User", "TE: X-Portico-User",
	} {
		e, ok := person.get("/app/x", append(script, line)...).echoed()
		if ok && (e.Header.Get("X-Portico-User") == "" || e.Header.Get("X-Portico-Token") == "" || e.Header.Get("X-Forwarded-For") != "127.0.0.1") {
			t.Errorf("%q: the app got %v", line, e.Header)
		}
	}
	for _, line := range []string{
		"X-Forwarded-Uri: /public/x", "X-Forwarded-Method: GET", "X-Original-URL: " + origin + "/public/x", "X-Original-URI: /public/x",
		"X-Original-Method: GET", "X-Forwarded-Host: evil.test", "X-Rewrite-URL: /public/x", "X-HTTP-Method-Override: GET",
		"X-Forwarded-Uri: /public/x\r\nX-Forwarded-Method: GET\r\nX-Forwarded-Host: example.com\r\nX-Forwarded-Proto: https",
	} {
		p.app.requests()
		if got := person.get("/admin/x", append(script, line)...); got.status == http.StatusOK || len(p.app.requests()) > 0 {
			t.Errorf("%q opens what only an admin may see: %d", line, got.status)
		}
	}
}

// SEC-146: proxies pass on what follows a body, and some servers append it to the headers, such as uvicorn. Where Portico
// names no user or no role, the app must not take the client's word for it.
func trailers(t *testing.T, p *place, person *visitor) {
	const body = "2\r\nok\r\n0\r\n"
	for _, v := range []*visitor{p.visitor(), person} {
		for _, name := range []string{"X-Portico-User", "X-Portico-Email", "X-Portico-Roles", "X-Portico-Token"} {
			p.app.requests()
			c := v.dial()
			request := "POST /public/x HTTP/1.1\r\nHost: " + hostOf(t, origin) + "\r\nConnection: close\r\nSec-Fetch-Mode: cors\r\nTransfer-Encoding: chunked\r\nTrailer: " + name + "\r\n" + v.cookieLine()
			_, err := io.WriteString(c, request+"\r\n"+body+name+": evil\r\n\r\n")
			if err != nil {
				t.Fatal(err)
			}
			answer, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Fatal(err)
			}
			came := p.app.requests()
			if len(came) == 0 && answer.StatusCode < 400 {
				t.Errorf("%s: the app got nothing, and the answer is %d", name, answer.StatusCode)
			}
			for _, e := range came {
				if all := slices.Concat(e.Header[name], e.Trailer[name]); len(all) > 0 && all[0] == "evil" {
					t.Errorf("the app gets %s of the client", name)
				}
			}
		}
	}
}

// However a path is spelled, the app must get the path that the rules judged.
func pathTricks(t *testing.T, p *place, person *visitor) {
	for _, target := range []string{
		"/admin/x", "/admin", "/public/../admin/x", "/public/..%2fadmin/x", "/public/%2e%2e/admin/x", "/public/%2e%2e%2fadmin/x", "//admin/x",
		"/public//../admin/x", "/./admin/x", "/%61dmin/x", "/admin%2fx", "/public/..;/admin/x", "/public\\..\\admin/x", "/public/%5c../admin/x",
		"/public/..%252fadmin/x", "/public/%252e%252e/admin/x", "/admin/x/.", "/admin;x", "/admin/x?/../public/x", "/public/../../admin/x", "/admin%00", "/admin/x%0d%0aX-Portico-Roles:admin",
		"/public/x/../../auth/api/check", "https://example.com/admin/x", "http://127.0.0.1:3000/admin/x", "/public/%c0%ae%c0%ae/admin/x", "/Public/../admin", "/public/x#/../../admin/x",
	} {
		p.app.requests()
		got := person.get(target, script...)
		for _, e := range p.app.requests() {
			if reaches(e.Target) {
				t.Errorf("%s reaches the app as %s: %d", target, e.Target, got.status)
			}
		}
	}
	if e, ok := p.visitor().get("/public/a%20b%25?x=/../admin", script...).echoed(); !ok || e.Target != "/public/a%20b%25?x=/../admin" {
		t.Errorf("a path that is what it seems reaches the app as %q", e.Target)
	}
}

// reaches reports whether a generous app would find a target below /admin. Such
// an app decodes until nothing changes, and accepts every separator.
func reaches(target string) bool {
	target, _, _ = strings.Cut(target, "?")
	for range 3 {
		if decoded, err := url.PathUnescape(target); err == nil {
			target = decoded
		}
	}
	target = strings.NewReplacer("\\", "/", ";/", "/").Replace(target)
	clean := filepath.Clean("/" + strings.TrimPrefix(target, origin))
	return clean == "/admin" || strings.HasPrefix(clean, "/admin/")
}

// Only the proxy may ask Portico about a request. A visitor must get neither an
// answer nor a token.
func checkClosed(t *testing.T, p *place, person *visitor) {
	ways := [][]string{
		{"X-Forwarded-Method: GET", "X-Forwarded-Proto: https", "X-Forwarded-Host: example.com", "X-Forwarded-Uri: /app/x"},
		{"X-Original-Method: GET", "X-Original-URL: " + origin + "/app/x"}, nil,
	}
	for _, target := range []string{"/auth/api/check", "/auth/api/check/app/x", "/auth/api/check?x", "/auth/./api/check", "/auth/api/%63heck", "/auth//api/check", "/portico-check"} {
		for _, way := range ways {
			if got := person.get(target, append(script, way...)...); got.header.Get("X-Portico-Token") != "" {
				t.Errorf("%s tells the token: %d", target, got.status)
			}
		}
	}
}

// `portico check-app` must find nothing.
func checkApp(t *testing.T, p *place) {
	page, err := url.Parse(origin + "/app/x?y")
	if err != nil {
		t.Fatal(err)
	}
	trials, err := spoof.Run(t.Context(), spoof.Deployment{URL: page, Addr: p.proxy, Echo: "/public/x", TLS: &tls.Config{InsecureSkipVerify: true}}) // the certificate is self-signed
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range trials {
		if trial.Through {
			t.Errorf("%s: %d, %s", trial.Request, trial.Status, trial.Why)
		}
	}
	if len(trials) < 1000 {
		t.Errorf("%d requests were tried", len(trials))
	}
}

func signOut(t *testing.T, p *place, person *visitor) {
	if got := person.get("/app/x", navigation...); got.status != http.StatusOK {
		t.Fatalf("before: %d", got.status)
	}
	before := person.cookies["__Host-portico-session"]
	got := person.do("POST", "/auth/signout", "", append(navigation, "Content-Type: application/x-www-form-urlencoded", "Origin: "+origin)...)
	if got.status != http.StatusSeeOther {
		t.Fatalf("the sign-out: %d %s", got.status, got.body)
	}
	person.cookies["__Host-portico-session"] = before // also for a visitor who has kept the old cookie
	p.app.requests()
	if got := person.get("/app/x", navigation...); got.status/100 != 3 || len(p.app.requests()) > 0 {
		t.Errorf("after: %d", got.status)
	}
	if got := person.get("/app/x", script...); got.status != http.StatusUnauthorized {
		t.Errorf("a fetch after: %d", got.status)
	}
}
