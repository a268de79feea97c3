package gateway_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/config"
)

// spoofs are headers by which a client claims an identity.
var spoofs = []string{
	"X-Portico-User: evil", "x-portico-user: evil", "X_Portico_User: evil", "X-Portico_Roles: admin", "X.Portico.Email: evil@x.test", "HTTP_X_PORTICO_USER: evil",
	"X-Portico-User: evil, evil", "X-Portico-Token: evil", "X-Portico-Roles:", "Remote-User: evil", "remote_user: evil", "X-Forwarded-User: evil", "X-Forwarded-For: 6.6.6.6",
	"Forwarded: for=6.6.6.6", "X-Real-IP: 6.6.6.6", "X-Original-URL: /public", "X-Rewrite-URL: /public", "X-Forwarded-Host: evil.test", "X-Forwarded-Proto: https", "X-Forwarded-Prefix: /evil",
	"X-Forwarded-Uri: /public", "X-Forwarded-Method: OPTIONS",
	"Connection: close, X-Portico-User, X-Portico-Roles, X-Forwarded-For, X-Forwarded-Host, Cookie, Authorization", "connection: x-portico-token, remote-user", "Keep-Alive: X-Portico-User",
	"Proxy-Connection: X-Portico-User", "TE: trailers, X-Portico-User", "Proxy: http://evil.test",
}

// SEC-146, SEC-148: whatever a client sends, the app reads only Portico's
// identity headers.
func TestSpoofs(t *testing.T) {
	t.Parallel()
	u := echoApp(t)
	s := start(t, behind(u.URL, "public /public/*", "signed-in /*"), func(c *config.Config) { c.App.Headers = []string{"Remote-User: id"} })
	cookie := s.person("mara@x.test")
	id := s.user("mara@x.test").ID
	lines := strings.Join(spoofs, "\r\n")
	for name, tt := range map[string]struct{ target, cookie, id string }{
		"signed in":           {"/x", cookie, id},
		"signed in, public":   {"/public/x", cookie, id},
		"nobody, public":      {"/public/x", "a=b", ""},
		"ended, public":       {"/public/x", "portico-session=" + strings.Repeat("B", 43), ""},
		"upgrade, not a real": {"/x", cookie + "\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__", id},
	} {
		got := s.get(tt.target, lines, "Cookie: "+tt.cookie).echoed(t)
		for header, values := range got.Header {
			text := strings.Join(values, ",")
			if strings.Contains(text, "evil") || strings.Contains(text, "6.6.6.6") || strings.Contains(text, "/public") || header == "Upgrade" || header == "Http2-Settings" {
				t.Errorf("%s: the app got %s: %q", name, header, values)
			}
		}
		for _, header := range []string{"X-Portico-User", "Remote-User"} {
			if values := got.Header[header]; tt.id == "" && values != nil || tt.id != "" && (len(values) != 1 || values[0] != tt.id) {
				t.Errorf("%s: %s is %q, want %q", name, header, values, tt.id)
			}
		}
		if got.Header.Get("X-Forwarded-For") != "127.0.0.1" || got.Header.Get("X-Forwarded-Host") != s.host || got.Header.Get("X-Forwarded-Proto") != "http" {
			t.Errorf("%s: forwarded as %v", name, got.Header)
		}
	}
	if a := s.get("/x", lines, fetch); a.status != 401 {
		t.Errorf("signed out with every spoof: %d", a.status)
	}
}

// Only a trusted proxy names the client's address.
func TestForwarded_TrustedProxy(t *testing.T) {
	t.Parallel()
	u := echoApp(t)
	s := start(t, behind(u.URL, "public /*"), func(c *config.Config) { c.TrustedProxies = loopback })
	got := s.get("/", "X-Forwarded-For: 6.6.6.6, 192.0.2.7, 127.0.0.9", "X-Forwarded-Host: evil.test").echoed(t)
	if got.Header.Get("X-Forwarded-For") != "192.0.2.7" || got.Header.Get("X-Forwarded-Host") != s.host {
		t.Errorf("forwarded as %v", got.Header)
	}
}

// SEC-146: trailers cannot carry protected names either.
func TestTrailers(t *testing.T) {
	t.Parallel()
	u := echoApp(t)
	s := start(t, behind(u.URL, "public /*"))
	all := s.raw("POST /x HTTP/1.1\r\nHost: " + s.host + "\r\nTransfer-Encoding: chunked\r\nTrailer: X-Portico-User\r\n\r\n3\r\nabc\r\n0\r\nX-Portico-User: evil\r\nX-Other: evil\r\n\r\n")
	if len(all) != 1 || strings.Contains(all[0].body, "evil") || all[0].echoed(t).Body != 3 || len(all[0].echoed(t).Trailer) > 0 {
		t.Errorf("the app got %+v", all)
	}
}

// SEC-157, SEC-160: one request stays one request, to one app.
func TestSmuggling(t *testing.T) {
	t.Parallel()
	u, internal := echoApp(t), echoApp(t)
	s := start(t, behind(u.URL, "public /public/*", "signed-in /*"))
	host, _ := url.Parse(internal.URL)
	const path = "/public/case" // with the number of the case
	head := "POST " + path + " HTTP/1.1\r\nHost: " + s.host + "\r\n"
	inner := "GET /public/smuggled HTTP/1.1\r\nHost: " + s.host + "\r\n\r\n"
	number := 0
	for name, request := range map[string]string{
		"CL.TE":                    head + "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + inner,
		"TE.CL":                    head + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n5c\r\n" + inner + "\r\n0\r\n\r\n",
		"chunked, identity":        head + "Transfer-Encoding: chunked, identity\r\nContent-Length: 2\r\n\r\n{}" + inner,
		"xchunked":                 head + "Transfer-Encoding: xchunked\r\nContent-Length: 2\r\n\r\n{}" + inner,
		"a blank before the colon": head + "Transfer-Encoding : chunked\r\nContent-Length: 2\r\n\r\n{}" + inner,
		"two lengths":              head + "Content-Length: 2\r\nContent-Length: 10\r\n\r\n{}" + inner,
		"a negative length":        head + "Content-Length: -1\r\n\r\n" + inner,
		"bare LF in chunks":        head + "Transfer-Encoding: chunked\r\n\r\n2\n{}\n0\n\n" + inner,
		"an extension with LF":     head + "Transfer-Encoding: chunked\r\n\r\n2;a\nb\r\n{}\r\n0\r\n\r\n" + inner,
		"a huge chunk":             head + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{}" + inner,
		"two hosts":                strings.Replace(head, "Host: ", "Host: evil.test\r\nHost: ", 1) + "Content-Length: 2\r\n\r\n{}" + inner,
		"no host":                  "GET /public/x HTTP/1.1\r\n\r\n",
		"an app's address as host": "GET /public/x HTTP/1.1\r\nHost: " + host.Host + "\r\n\r\n",
		"an absolute target":       "GET " + internal.URL + "/public/x HTTP/1.1\r\nHost: " + s.host + "\r\n\r\n",
		"user at host":             "GET /public/x HTTP/1.1\r\nHost: " + s.host + "@" + host.Host + "\r\n\r\n",
		"CONNECT":                  "CONNECT " + host.Host + " HTTP/1.1\r\nHost: " + host.Host + "\r\n\r\n",
		"an authority":             "GET @" + host.Host + " HTTP/1.1\r\nHost: " + s.host + "\r\n\r\n",
		"two slashes":              "GET //" + host.Host + "/public HTTP/1.1\r\nHost: " + s.host + "\r\n\r\n",
		"prior knowledge":          "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
	} {
		number++
		if n := len(s.rawWithin(strings.Replace(request, path, fmt.Sprint(path, number), 1), 2*time.Second)); n > 1 {
			t.Errorf("%s: %d answers", name, n)
		}
	}
	asked := u.asked()
	slices.Sort(asked)
	if once := slices.Compact(slices.Clone(asked)); len(once) != len(asked) || strings.Contains(strings.Join(asked, " "), "smuggled") {
		t.Errorf("the app was asked: %v", asked)
	}
	if seen := internal.asked(); len(seen) > 0 {
		t.Errorf("another server was asked: %v", seen)
	}
	if a := s.do("POST", "/public/x", "fine", "Content-Type: text/plain"); a.status != http.StatusOK || a.echoed(t).Body != 4 {
		t.Errorf("an ordinary request: %d", a.status)
	}
}
