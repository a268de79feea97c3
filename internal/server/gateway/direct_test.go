package gateway_test

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"portico/internal/config"
)

// A request takes one of two ways to its app. TE, which makes it take
// ReverseProxy's, is the only difference that an app may see, whatever a client
// says of itself.
func TestDirect_SameRequest(t *testing.T) {
	t.Parallel()
	u := echoApp(t)
	s := start(t, behind(u.URL, "public /public/*", "signed-in /*"), func(c *config.Config) {
		c.Headers = []string{"Remote-User: id", "X-Age: session_age", "X-Long: name"}
		c.TrustedProxies = loopback
	})
	cookie := "Cookie: " + s.person("mara@x.test", "admin")
	lines := append(slices.Clone(spoofs), "", "Cookie: a=b; portico-browser=x; c=d", "Cookie: a=b\r\nCookie: c=\"d;e\"", "Cookie: Portico-session=1",
		"Accept: a\r\naccept: b", "User-Agent: curl", "Content-Length: 0", "Trailer: X-Portico-User", "Expect: 100-continue",
		"Proxy-Authorization: Basic x", "Proxy-Authenticate: x", "Authorization: Bearer x", "Range: bytes=0-1", "X-Empty:", "Accept-Language: de\tch",
		"X-Forwarded-For: 192.0.2.7, 127.0.0.9", "If-None-Match: \"a\"", "Via: 1.1 x", "X-Latin: caf\xe9", "Host: "+strings.ToUpper(s.host))
	for _, target := range []string{"/public/x?a=b;c&d=%zz+%20", "/private/%7Ex?", "/public/a;b=c/d%20e"} {
		for _, line := range lines {
			for _, who := range []string{cookie, "X-Nobody: 1"} {
				direct, other := s.get(target, line+"\r\n"+who), s.get(target, line+"\r\n"+who, "TE: deflate")
				if direct.status != other.status {
					t.Errorf("%s, %q: %d and %d", target, line, direct.status, other.status)
				}
				if direct.status != http.StatusOK {
					continue
				}
				a, b := direct.echoed(t), other.echoed(t)
				for _, h := range []http.Header{a.Header, b.Header} {
					for _, name := range []string{"X-Request-Id", "Te"} {
						delete(h, name)
					}
				}
				if fmt.Sprint(a) != fmt.Sprint(b) {
					t.Errorf("%s, %q:\n direct %v\n other  %v", target, line, a, b)
				}
			}
		}
	}
}

// hardApp answers a connection's requests by their path, byte by byte.
func hardApp(t *testing.T, answers map[string]string) string {
	t.Helper()
	return newUpstream(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer c.Close()
		_, _ = io.WriteString(c, answers[r.URL.Path])
	}))
}

// The client gets the same answer on either way.
func TestDirect_SameAnswer(t *testing.T) {
	t.Parallel()
	answers := map[string]string{
		"/":             "HTTP/1.1 204 No Content\r\n\r\n", // for the watcher, to whom some of the others are none
		"/length":       "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: a/b\r\n\r\nok",
		"/chunks":       "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
		"/trailer":      "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nTransfer-Encoding: chunked\r\nTrailer: Sum\r\n\r\n2\r\nok\r\n0\r\nSum: 5\r\nMore: 6\r\n\r\n",
		"/until-close":  "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\n\r\nuntil the end",
		"/hop":          "HTTP/1.1 200 OK\r\nConnection: close, X-Hop, Keep-Alive\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\nProxy-Authenticate: x\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\nok",
		"/cookies":      "HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nSet-Cookie: portico-session=evil\r\nSet-Cookie: c=d\r\nClear-Site-Data: \"cookies\"\r\nContent-Length: 0\r\n\r\n",
		"/own-headers":  "HTTP/1.1 200 OK\r\nX-Request-Id: evil\r\nCache-Control: max-age=1\r\nContent-Security-Policy: default-src 'self'\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\nContent-Length: 0\r\n\r\n",
		"/204":          "HTTP/1.1 204 No Content\r\nX-A: 1\r\n\r\n",
		"/304":          "HTTP/1.1 304 Not Modified\r\nEtag: \"a\"\r\n\r\n",
		"/no-reason":    "HTTP/1.1 299 \r\nContent-Length: 2\r\n\r\nok",
		"/early":        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nX-Portico: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
		"/dies":         "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
		"/dies-chunked": "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
		"/nothing":      "",
		"/no-http":      "SSH-2.0\r\n\r\n",
		"/huge":         "HTTP/1.1 200 OK\r\nA: " + strings.Repeat("a", 1<<20) + "\r\n\r\n",
		"/switches":     "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
		"/two-lengths":  "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok!",
		"/split":        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil",
	}
	s := start(t, behind(hardApp(t, answers), "public /*"))
	for _, path := range slices.Sorted(maps.Keys(answers)) {
		for _, method := range []string{"GET", "HEAD"} {
			direct, other := s.transcript(method, path), s.transcript(method, path, "TE: deflate")
			if direct != other {
				t.Errorf("%s %s:\n direct %.600q\n other  %.600q", method, path, direct, other)
			}
		}
	}
}

// transcript is all that a client reads of an answer, without what differs each
// time.
func (s *site) transcript(method, path string, lines ...string) string {
	s.Helper()
	c := s.dial()
	_, _ = io.WriteString(c, method+" "+path+" HTTP/1.1\r\nHost: "+s.host+"\r\nConnection: close\r\n"+strings.Join(append(lines, "\r\n"), "\r\n"))
	var all, header []string
	ids := 0
	for r := bufio.NewReader(c); ; {
		line, err := r.ReadString('\n')
		switch {
		case strings.HasPrefix(line, "X-Request-Id: ") && !strings.Contains(line, "evil"):
			ids++
		case strings.HasPrefix(line, "Date: ") && !strings.Contains(line, "1970"):
		case strings.Contains(line, `"request_id":`): // in the page of an error
		case strings.HasSuffix(line, "\r\n") && line != "\r\n":
			header = append(header, line)
		default:
			slices.Sort(header)
			all, header = append(append(all, header...), line), nil
		}
		if err != nil {
			return fmt.Sprint(ids, strings.Join(all, ""))
		}
	}
}
