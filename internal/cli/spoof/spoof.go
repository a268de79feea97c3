package spoof

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"portico/internal/untrusted"
)

// Deployment is the deployment to attack.
type Deployment struct {
	URL    *url.URL    // a page that requires a session
	Addr   string      // host:port to connect to; "" for the host of the URL
	Echo   string      // path of a public page that shows the request headers of the app; "" for none
	Told   []string    // identity headers of the app, in addition to Portico's own
	Direct *url.URL    // address of the app itself; nil to skip this test
	TLS    *tls.Config // nil for the default verification
}

// Trial is one request and its outcome.
type Trial struct {
	Request string `json:"request"` // how it differs from the plain request
	Status  int    `json:"status"`  // 0 if the connection was closed without a response
	Through bool   `json:"through"`
	Why     string `json:"why,omitempty"` // what got through
}

// ErrOpen is returned if the page requires no session, so that there is nothing
// to attack.
var ErrOpen = errors.New("the page is open to everybody: name a page that requires signing in")

// ErrMute is returned if the echo page does not show a header, so that it could
// not show a forged one either.
var ErrMute = errors.New("the page of --echo does not show the headers of a request: name a public page that does")

// ErrAbsent is returned if the plain request is not refused as Portico does for an app.
// Without an app, a result without findings would mean nothing.
var ErrAbsent = errors.New("an app behind Portico refuses in another way: check that an app runs at this host and path")

// Run sends all requests and returns their outcomes. The error is about the
// plain requests: a connection error, ErrOpen, ErrAbsent or ErrMute. If ctx
// ends, Run returns the outcomes so far and the error of ctx.
func Run(ctx context.Context, t Deployment) ([]Trial, error) {
	r := &run{Context: ctx, target: t, entrance: entrance{t.URL, t.Addr, t.TLS}}
	plain, err := r.entrance.send(ctx, r.get(t.URL.RequestURI()))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s cannot be reached: %w", t.URL.Redacted(), err)
	case opens(plain):
		return nil, ErrOpen
	case !refuses(plain):
		return nil, fmt.Errorf("%s answers %s: %w", t.URL.Redacted(), plain.saying(), ErrAbsent)
	}
	if t.Echo != "" {
		if a, err := r.entrance.send(ctx, r.get(t.Echo, "X-Echo: "+marker)); err != nil || !strings.Contains(a.body, marker) {
			return nil, ErrMute
		}
	}
	r.headers()
	r.paths()
	r.messages()
	r.check()
	r.echo()
	r.direct()
	return r.trials, ctx.Err()
}

// run is the state of one Run.
type run struct {
	context.Context
	target   Deployment
	entrance entrance
	trials   []Trial
}

// get returns a request as a script sends it, so that a refusal is a status and
// not a redirect.
func (r *run) get(target string, lines ...string) request {
	return request{method: "GET", target: target, lines: append([]string{"Host: " + r.target.URL.Host, "Sec-Fetch-Mode: cors", "Accept: */*"}, lines...)}
}

// try sends a request that must not be served.
func (r *run) try(d entrance, name string, q request, why string) {
	if r.Err() != nil {
		return
	}
	a, _ := d.send(r, q) // a closed connection lets nothing through
	trial := Trial{Request: name, Status: a.status, Through: opens(a)}
	if trial.Through {
		trial.Why = why
	}
	r.trials = append(r.trials, trial)
}

// opens reports whether an answer comes from the app. An empty body does not
// count, because some proxies answer 200 without a body for an unknown host.
func opens(a answer) bool {
	return a.status/100 == 2 && (a.body != "" || a.bodiless) || a.status == http.StatusSwitchingProtocols
}

// refuses reports whether an answer refuses a visitor without a session. A
// redirect to /auth/signin without a return target does not count: Portico
// answers so at the root of a host without an app.
func refuses(a answer) bool {
	return a.status/100 == 3 && a.location != "/auth/signin" || a.status == http.StatusUnauthorized || a.status == http.StatusForbidden
}

// spellings returns names that CGI, WSGI, PHP and similar interfaces map to the
// same variable.
func spellings(name string) []string {
	under := strings.ReplaceAll(name, "-", "_")
	return []string{name, strings.ToLower(name), under, strings.Replace(name, "-", "_", 1), strings.ReplaceAll(name, "-", "."), "HTTP_" + strings.ToUpper(under)}
}

// forged is an unsigned token (RFC 7519 6).
const forged = "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJzdWIiOiJzcG9vZiJ9."

// marker is the value that an echo page is searched for.
const marker = "portico-spoof"

func (r *run) headers() {
	page := r.target.URL.RequestURI()
	told := untrusted.Names(untrusted.Identities())
	for _, name := range told {
		for _, spelled := range spellings(name) {
			line := spelled + ": " + marker
			r.try(r.entrance, line, r.get(page, line), "the header opens the page")
		}
	}
	all := make([]string, 0, len(told))
	for _, name := range told {
		all = append(all, name+": "+marker)
	}
	r.try(r.entrance, "all of them", r.get(page, all...), "the headers open the page")
	for _, line := range []string{
		"X-Portico-Token: " + forged, "Authorization: Bearer " + forged, "Authorization: Basic YWRtaW46YWRtaW4=", "Cookie: portico-session=" + marker,
		"Cookie: __Host-portico-session=" + marker, "X-Forwarded-For: 127.0.0.1", "X-Real-IP: 127.0.0.1", "X-Forwarded-Host: localhost",
		"Connection: close, X-Portico-User, X-Forwarded-For, Cookie", "X-HTTP-Method-Override: OPTIONS", "Sec-Fetch-Site: same-origin",
	} {
		r.try(r.entrance, line, r.get(page, line), "the header opens the page")
	}
	for _, elsewhere := range []string{"/", "/auth/signin", "/favicon.ico", "/robots.txt"} {
		for _, name := range untrusted.Names(untrusted.Targets()) {
			for _, spelled := range []string{name, strings.ReplaceAll(name, "-", "_")} {
				line := spelled + ": " + elsewhere
				r.try(r.entrance, line, r.get(page, line), "the rule of another path decides")
			}
		}
	}
}

// paths tries other spellings of the page's path.
func (r *run) paths() {
	path := r.target.URL.EscapedPath()
	first := "/"
	if len(path) > 1 {
		first = fmt.Sprintf("/%%%02x%s", path[1], path[2:])
	}
	for _, target := range []string{
		"/" + path, "//" + path, "/." + path, "/x/.." + path, "/auth/.." + path, "/x/%2e%2e" + path, "/x/..%2f" + path[1:], "/x/%2e%2e%2f" + path[1:],
		"/x/..;" + path, "/x\\.." + path, "/x/%5c.." + path, "/x/..%252f" + path[1:], "/%2e" + path, first, path + "/.", path + "/x/..", path + "%00", path + "%20", path + ";x",
		path + "?/../x", path + "#/../x", path + "%23", path + "%3f", "/auth" + path, "/auth/assets/.." + "/.." + path, "/auth%2f.." + path, strings.ToUpper(path), path + "%0d%0aX-Portico-User:%20x",
		"http://localhost" + path, r.target.URL.Scheme + "://" + r.target.URL.Host + path, "*" + path,
	} {
		if target != path {
			r.try(r.entrance, target, r.get(target), "another spelling of the path is served")
		}
	}
}

// messages sends requests that two programs may parse differently.
func (r *run) messages() {
	page := r.target.URL.RequestURI()
	host := "Host: " + r.target.URL.Host
	for _, trial := range []struct {
		name string
		request
	}{
		{"HEAD", request{method: "HEAD", target: page, lines: []string{host, "Sec-Fetch-Mode: cors"}}},
		{"a preflight", request{method: "OPTIONS", target: page, lines: []string{host, "Origin: https://spoof.invalid", "Access-Control-Request-Method: GET"}}},
		{"a WebSocket", r.get(page, "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")},
		{"an upgrade to h2c", r.get(page, "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA")},
		{"another host", request{method: "GET", target: page, lines: []string{"Host: localhost"}}},
		{"no host", request{method: "GET", target: page}},
		{"two hosts", request{method: "GET", target: page, lines: []string{host, "Host: localhost"}}},
		{"a user before the host", request{method: "GET", target: page, lines: []string{"Host: localhost@" + r.target.URL.Host}}},
		{"a host with a dot", request{method: "GET", target: page, lines: []string{"Host: " + r.target.URL.Hostname() + "."}}},
		{"a method in lower case", request{method: "get", target: page, lines: []string{host}}},
		{"a name with a space", r.get(page, "X-Portico-User : "+marker)},
		{"a folded line", r.get(page, "X-Padding: a", " X-Portico-User: "+marker)},
		{"two lengths", r.get(page, "Content-Length: 0", "Content-Length: 1").with("x")},
		{"a length and in chunks", r.get(page, "Content-Length: 0", "Transfer-Encoding: chunked").with("0\r\n\r\n")},
		{"in two encodings", r.get(page, "Transfer-Encoding: xchunked", "Transfer-Encoding: chunked").with("0\r\n\r\n")},
		{"HTTP/1.0", request{method: "GET", target: page, lines: []string{host}, proto: " HTTP/1.0"}},
		{"HTTP/0.9", request{method: "GET", target: page, proto: "\r\n"}},
		{"a line feed in the path", r.get(page + "%0a")},
	} {
		r.try(r.entrance, trial.name, trial.request, "the page is served")
	}
}

// check asks the endpoint that only a trusted proxy may ask.
func (r *run) check() {
	u := r.target.URL
	for _, ask := range []struct {
		name  string
		lines []string
	}{
		{"/auth/api/check as Caddy asks", []string{"X-Forwarded-Method: GET", "X-Forwarded-Proto: " + u.Scheme, "X-Forwarded-Host: " + u.Host, "X-Forwarded-Uri: " + u.RequestURI()}},
		{"/auth/api/check as nginx asks", []string{"X-Original-Method: GET", "X-Original-URL: " + u.Scheme + "://" + u.Host + u.RequestURI()}},
	} {
		a, _ := r.entrance.send(r, r.get("/auth/api/check", ask.lines...)) // a closed connection reveals nothing
		trial := Trial{Request: ask.name, Status: a.status, Through: strings.Contains(a.body, "signin_url")}
		if trial.Through {
			trial.Why = "everybody can ask this, not only the proxy"
		}
		r.trials = append(r.trials, trial)
	}
}

// echo looks for forged headers in the requests that reach the app.
func (r *run) echo() {
	if r.target.Echo == "" {
		return
	}
	for _, name := range append(untrusted.Names(untrusted.All()), r.target.Told...) {
		for _, spelled := range spellings(name) {
			r.shows("the header reaches the app", spelled+": "+marker)
		}
	}
	r.shows("a client can switch to another protocol with the app, whose requests no rule judges", "Upgrade: "+marker, "Connection: Upgrade")
}

// shows tries whether the first of some lines reaches the app.
func (r *run) shows(why string, lines ...string) {
	a, _ := r.entrance.send(r, r.get(r.target.Echo, lines...)) // a refused request does not reach the app
	trial := Trial{Request: r.target.Echo + " " + lines[0], Status: a.status, Through: strings.Contains(a.body, marker) || a.status == http.StatusSwitchingProtocols}
	if trial.Through {
		trial.Why = why
	}
	r.trials = append(r.trials, trial)
}

// direct sends requests to the app itself, without Portico.
func (r *run) direct() {
	if r.target.Direct == nil {
		return
	}
	d := entrance{r.target.Direct, "", r.target.TLS}
	page := r.target.URL.RequestURI()
	r.try(d, r.target.Direct.Host, r.get(page), "the app can be reached without Portico and requires no session")
	r.try(d, r.target.Direct.Host+" X-Portico-User: "+marker, r.get(page, "X-Portico-User: "+marker), "the app can be reached without Portico and trusts a header")
	r.try(d, r.target.Direct.Host+" X-Portico-Token: "+forged, r.get(page, "X-Portico-Token: "+forged), "the app can be reached without Portico and trusts an unsigned token")
}
