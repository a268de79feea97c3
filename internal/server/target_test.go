package server_test

import (
	"net/url"
	"path"
	"strings"
	"testing"

	"portico/internal/server"
)

// The test writes targets to the connection itself, because net/http's client
// would correct them.
func TestTarget(t *testing.T) {
	t.Parallel()
	k := httpsKit(t)
	k.Handle("GET /auth/signin", ok)
	k.Handle("GET /app/{rest...}", ok)
	k.Fallback(ok)
	addr := k.listen(t)
	cases := []struct {
		target string
		status int
	}{
		{"/auth/signin", 200},
		{"/auth/signin?a=/../%2f", 200},
		{"/app/caf%C3%A9/", 200},
		{"/app/a%20b;v=1", 200},
		{"http://portico.test/auth/signin", 200},
		{"http://portico.test/app/x?to=http://evil.test/", 200},
		{"http://a@portico.test/auth/signin", 400},
		{"http://portico.test?/auth/signin", 400},
		{"http://evil.test/auth/signin", 421},
		{"http:/auth/signin", 400},
		{"http:///auth/signin", 400},
		{"x:/?://y", 400},
		{"x:/auth/%73ignin?://portico.test/app/x", 400},
		{"/" + strings.Repeat("a", 8191), 200},
		{"/" + strings.Repeat("a", 8192), 414},
		{"//auth/signin", 400},
		{"/auth//signin", 400},
		{"/auth/./signin", 400},
		{"/auth/x/../signin", 400},
		{"/auth/%2e%2e/signin", 400},
		{"/auth/%73ignin", 400},
		{"/%61uth/signin", 400},
		{"http://portico.test/auth/%73ignin", 400},
		{"/auth/signin?a=%61", 200},
		{"/auth/..", 400},
		{"//evil.test/..;/", 400},
		{"//evil.test//", 400},
		{"/\\evil.test/", 400},
		{"/%5cevil.test/", 400},
		{"/app/a%2fb", 400},
		{"/app/a%2Fb", 400},
		{"/app/a%00b", 400},
		{"/app/a%0d%0ab", 400},
		{"/app/a%7fb", 400},
		{"/auth/signin#top", 400},
		{"/auth/signin?x#top", 400},
		{"/app/a\x01b", 400},
		{"/app/caf\xc3\xa9", 400},
		{"/app/%zz", 400},
		{"*", 400},
		{"auth/signin", 400},
	}
	for _, c := range cases {
		t.Run(c.target[:min(len(c.target), 40)], func(t *testing.T) {
			t.Parallel()
			answers := raw(t, addr, "GET "+c.target+" HTTP/1.1\r\nHost: portico.test\r\nConnection: close\r\n\r\n", 1)
			if len(answers) != 1 || answers[0].StatusCode != c.status {
				t.Fatalf("answers %v, want one %d", answers, c.status)
			}
			if location := answers[0].Header.Get("Location"); location != "" {
				t.Errorf("redirects to %q", location)
			}
		})
	}
}

func TestTarget_OptionsAndConnect(t *testing.T) {
	t.Parallel()
	k := httpsKit(t)
	k.Fallback(ok)
	addr := k.listen(t)
	for _, line := range []string{"OPTIONS *", "CONNECT evil.test:443", "CONNECT portico.test:443", "CONNECT portico.test/auth/signin", "CONNECT portico.test/?://y"} {
		answers := raw(t, addr, line+" HTTP/1.1\r\nHost: portico.test\r\nConnection: close\r\n\r\n", 1)
		if len(answers) != 1 || answers[0].StatusCode != 400 {
			t.Errorf("%s: answers %v, want one 400", line, answers)
		}
	}
}

// A path that passes is not shortened or split differently by other programs.
func FuzzTarget(f *testing.F) {
	for _, seed := range []string{"/auth/signin", "//x", "/%2e%2e/", "/a/..;/b", "/\\", "/a%5c", "/%00", "/a?#", "/a%2fb", "http://portico.test/a?b=c://d/", "x:/?://y"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, target string) {
		parsed, err := url.ParseRequestURI(target)
		if err != nil {
			return // net/http responds with 400
		}
		r := request("GET", "/", "")
		r.RequestURI, r.URL = target, parsed
		if server.CheckTarget(r) != nil {
			return
		}
		p := parsed.Path
		if !strings.HasPrefix(r.RequestURI, "/") || !strings.HasSuffix(target, r.RequestURI) {
			t.Errorf("%q goes on as %q", target, r.RequestURI)
		}
		if cleaned := path.Clean(p); p != cleaned && p != cleaned+"/" || strings.ContainsAny(p, "\\\x00\r\n") {
			t.Errorf("%q passed as %q", target, p)
		}
		if strings.Count(p, "/") != strings.Count(parsed.EscapedPath(), "/") {
			t.Errorf("%q hides a slash", target)
		}
	})
}
