package security

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"portico/internal/config"
)

// hostileApp answers each request with fixed bytes for its path, whatever the
// request was. A connection stays open, as the answers promise: an app that
// closed it could end a request with a body that came at that moment.
func hostileApp(t *testing.T, answers map[string]string) *url.URL {
	t.Helper()
	return &url.URL{Scheme: "http", Host: accepting(t, func(c net.Conn) { go answerFixed(c, answers) })}
}

func answerFixed(c net.Conn, answers map[string]string) {
	defer c.Close()
	in := bufio.NewReader(c)
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(c, answers[r.URL.Path])
	}
}

// ways returns the requests for a path, with and without a body.
func ways(path, host string) map[string]string {
	head := " " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\nTE: trailers\r\n"
	return map[string]string{
		"GET":           "GET" + head + "\r\n",
		"a length":      "POST" + head + "Content-Length: 2\r\n\r\nab",
		"chunks":        "POST" + head + "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n",
		"GET with body": "GET" + head + "Content-Length: 2\r\n\r\nab",
	}
}

// transcript sends a request and returns all bytes that the server sends.
func (s *site) transcript(request string) string {
	s.Helper()
	c := s.connect()
	go func() { _, _ = io.WriteString(c, request) }()
	all, _ := io.ReadAll(c)
	return string(all)
}

// An app's interim responses and trailers must not set our cookies. The final
// response keeps our headers.
func TestSEC220_InterimAnswersAndTrailersOfApps(t *testing.T) {
	announce(t)
	t.Parallel()
	const evil = "Set-Cookie: __Host-portico-session=evil; Path=/; Secure\r\nX-Request-Id: evil\r\nStrict-Transport-Security: max-age=0\r\nConnection: X-Evil\r\nX-Evil: evil\r\nKeep-Alive: evil\r\n"
	const end = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
	app := hostileApp(t, map[string]string{
		"/103":     "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n" + evil + "\r\n" + end,
		"/102":     "HTTP/1.1 102 Processing\r\n" + evil + "\r\n" + end,
		"/100":     "HTTP/1.1 100 Continue\r\n" + evil + "\r\n" + end,
		"/twice":   strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n"+evil+"\r\n", 2) + end,
		"/trailer": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: Set-Cookie, X-Request-Id, Strict-Transport-Security, Sum, Keep-Alive\r\n\r\n2\r\nok\r\n0\r\nSum: fine\r\n" + evil + "\r\n",
		"/sneaked": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: Sum\r\n\r\n2\r\nok\r\n0\r\nSum: fine\r\nContent-Security-Policy: evil\r\nContent-Length: 66\r\nCache-Control: evil\r\n" + evil + "\r\n",
	})
	s := start(t, func(c *config.Config) { c.App.Upstream, c.App.Rules = app, []string{"public /*"} })
	for _, path := range []string{"/103", "/102", "/100", "/twice", "/trailer", "/sneaked"} {
		for name, request := range ways(path, "portico.test") {
			got := s.transcript(request)
			if strings.Contains(got, "evil") || strings.Contains(got, "max-age=0") {
				t.Errorf("%s, %s: the browser is told:\n%s", path, name, got)
			}
			if strings.Count(got, "X-Request-Id: ") != 1 || !strings.Contains(got, "ok") {
				t.Errorf("%s, %s: the answer has no request id, or did not come:\n%s", path, name, got)
			}
			if (path == "/103" || path == "/twice") && !strings.Contains(got, "103 Early Hints\r\nLink: </a.css>\r\n\r\n") {
				t.Errorf("%s, %s: the early hint did not come:\n%s", path, name, got)
			}
			if (path == "/trailer" || path == "/sneaked") && !strings.Contains(got, "\r\n0\r\nSum: fine\r\n\r\n") {
				t.Errorf("%s, %s: the app's own trailer is missing:\n%s", path, name, got)
			}
			if name == "chunks" && !strings.Contains(got, "Connection: close\r\n") {
				t.Errorf("%s: the connection of a chunked request stays open:\n%s", path, got)
			}
		}
	}
	if got := s.transcript("GET /103 HTTP/1.0\r\nHost: portico.test\r\n\r\n"); strings.Contains(got, " 103 ") || !strings.Contains(got, "ok") {
		t.Errorf("HTTP/1.0 knows no interim answers (RFC 9110 15.2):\n%s", got)
	}
}

// An app at the public host must not send headers that act on the whole host,
// because our pages are there too. At a host of its own it may.
func TestSEC221_AppsDoNotRuleTheSignInPages(t *testing.T) {
	announce(t)
	t.Parallel()
	ruling := map[string]string{
		"Strict-Transport-Security": "max-age=0", "Nel": `{"report_to":"x","max_age":9}`, "Report-To": `{"group":"x","max_age":9,"endpoints":[{"url":"https://evil.test"}]}`,
		"Service-Worker-Allowed": "/", "Clear-Site-Data": `"storage"`, "Alt-Svc": `h3="evil.test:443"`, "Public-Key-Pins": "x", "Expect-Ct": "max-age=9",
		"Secure-Session-Registration": `(ES256);path="x"`, "Sec-Session-Registration": `(ES256);path="x"`,
	}
	lines := ""
	for name, value := range ruling {
		lines += strings.ToLower(name) + ": " + value + "\r\n"
	}
	answer := "HTTP/1.1 200 OK\r\n" + lines + "Content-Security-Policy: default-src 'self'\r\nReporting-Endpoints: a=\"/a\"\r\nContent-Length: 2\r\n\r\nok"
	app := hostileApp(t, map[string]string{
		"/": answer, "/early": "HTTP/1.1 103 Early Hints\r\n" + lines + "\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
	})
	s := start(t, func(c *config.Config) {
		c.App.Upstream, c.App.Rules = app, []string{"public /*"}
		c.Apps = []config.App{{Name: "wiki", Host: "wiki.test", Path: "/", Upstream: app, Rules: []string{"public /*"}, Key: "app.1"}}
	})
	for _, path := range []string{"/", "/early"} {
		for way, request := range ways(path, "portico.test") {
			got := strings.ToLower(s.transcript(request))
			for name := range ruling {
				if strings.Contains(got, "\r\n"+strings.ToLower(name)+":") {
					t.Errorf("%s, %s: the app has set %s for our pages", path, way, name)
				}
			}
			if path == "/" && (!strings.Contains(got, "content-security-policy: default-src 'self'") || !strings.Contains(got, "reporting-endpoints: ")) {
				t.Errorf("%s: the headers of the app's own page are missing:\n%s", way, got)
			}
		}
	}
	got := strings.ToLower(s.transcript(ways("/", "wiki.test")["GET"]))
	for name := range ruling {
		passes := name != "Alt-Svc" // it would send browsers past the gateway
		if strings.Contains(got, "\r\n"+strings.ToLower(name)+":") != passes {
			t.Errorf("at a host of its own the app sends %s: %v", name, !passes)
		}
	}
}

// Identity headers of other products must reach no app, in any spelling.
func TestSEC222_IdentityHeadersOfOtherProducts(t *testing.T) {
	announce(t)
	t.Parallel()
	app := newApp(t, tempers()["raw"])
	s := start(t, protects(app, "public /public/*"))
	names := []string{
		"X-authentik-username", "X-authentik-groups", "X-authentik-uid", "X-authentik-jwt", "X-WEBAUTH-USER", "X-WEBAUTH-ROLE", "X-WEBAUTH-NAME", "X-WEBAUTH-ORGID",
		"Remote-User", "Remote-Groups", "Remote-Role", "Remote-Anything", "X-Remote-User", "X-Remote-Group", "X-Remote-Extra-Scopes", "X-Auth-Request-User",
		"X-Auth-Request-Roles", "X-Auth-Request-Access-Token", "X-Forwarded-User", "X-Forwarded-Groups", "X-Forwarded-Access-Token", "X-Pomerium-Jwt-Assertion",
		"X-Pomerium-Claim-Groups", "X-Vouch-User", "X-Vouch-Idp-Claims-Groups", "Cf-Access-Authenticated-User-Email", "Cf-Access-Jwt-Assertion",
		"X-Goog-Authenticated-User-Email", "X-Goog-Iap-Jwt-Assertion", "X-Ms-Client-Principal", "X-Ms-Client-Principal-Name", "X-Amzn-Oidc-Identity",
		"X-Amzn-Oidc-Data", "Tailscale-User-Login", "Tailscale-User-Name", "OIDC_CLAIM_sub", "Oidc-Access-Token", "Mellon-Nameid", "Shib-Session-Id",
		"X-Consumer-Username", "X-Consumer-Groups", "X-Credential-Identifier", "X-Authenticated-Userid", "X-Http-Anything", "X-Original-Anything", "X-Rewrite-Anything",
	}
	request := "GET /public/x HTTP/1.1\r\nHost: portico.test\r\nConnection: close\r\nX-Auth-Token: fine\r\n"
	for _, name := range names {
		for _, spelled := range []string{name, strings.ReplaceAll(name, "-", "_"), "HTTP_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))} {
			request += spelled + ": evil\r\n"
		}
		if len(request) > 8<<10 { // the server limits the header of a request
			s.raw(request + "\r\n")
			request = "GET /public/x HTTP/1.1\r\nHost: portico.test\r\nConnection: close\r\nX-Auth-Token: fine\r\n"
		}
	}
	s.raw(request + "\r\n")
	if len(app.asked()) == 0 {
		t.Fatal("the app was not asked")
	}
	for _, e := range app.asked() {
		for name, values := range e.Header {
			if slices.Contains(values, "evil") {
				t.Errorf("the app got %s", name)
			}
		}
		if e.Header.Get("X-Auth-Token") != "fine" {
			t.Error("a header of the app's own is lost")
		}
	}
}

// A header that some server takes for a framing header must reach no app in
// another spelling.
func TestSEC223_FramingNamesInAnySpelling(t *testing.T) {
	announce(t)
	t.Parallel()
	app := newApp(t, tempers()["raw"])
	s := start(t, protects(app, "public /public/*"))
	for _, name := range []string{"Transfer-Encoding", "Content-Length", "Connection", "Upgrade", "Trailer", "Te", "Keep-Alive", "Proxy-Connection", "Expect", "Host", "Http2-Settings"} {
		for _, spelled := range []string{strings.ReplaceAll(name, "-", "_"), strings.ReplaceAll(name, "-", "."), "HTTP_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_")), "Http-" + name} {
			if strings.EqualFold(spelled, name) {
				continue
			}
			for _, rest := range []string{"\r\n", "Content-Length: 2\r\n\r\nab"} {
				s.raw("POST /public/x HTTP/1.1\r\nHost: portico.test\r\nConnection: close\r\n" + spelled + ": chunked, 7\r\n" + rest)
			}
		}
	}
	if len(app.asked()) == 0 {
		t.Fatal("the app was not asked")
	}
	for _, e := range app.asked() {
		for name, values := range e.Header {
			if slices.Contains(values, "chunked, 7") {
				t.Errorf("the app got %s", name)
			}
		}
	}
}

// HTTP/1.0 does not define Transfer-Encoding, so the end of such a request is
// ambiguous (RFC 9112 6.1). The server must read no second request from its
// connection.
func TestSEC224_HTTP10EndsItsConnection(t *testing.T) {
	announce(t)
	t.Parallel()
	app := newApp(t, tempers()["raw"])
	s := start(t, protects(app, "public /public/*"))
	for _, target := range []string{"/public/x", "/auth/signin", "/auth/nothing"} {
		for name, framing := range map[string]string{
			"both":    "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
			"encoded": "Transfer-Encoding: chunked\r\n\r\n",
			"neither": "\r\n",
		} {
			request := "GET " + target + " HTTP/1.0\r\nHost: portico.test\r\nConnection: keep-alive\r\n" + framing
			got := s.transcript(request + "GET /public/smuggled HTTP/1.1\r\nHost: portico.test\r\nConnection: close\r\n\r\n")
			if n := strings.Count(got, "HTTP/1."); n != 1 || strings.Contains(strings.ToLower(got), "connection: keep-alive") {
				t.Errorf("%s, %s: %d answers:\n%s", target, name, n, got)
			}
		}
	}
}
