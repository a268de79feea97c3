package security

import (
	"bufio"
	"context"
	"io"
	"io/fs"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"portico/internal/cli"
	"portico/web"
)

// commandServing runs a command that serves until the test ends, and returns the address in the line that the pattern matches.
func commandServing(t *testing.T, name, folder string, ready *regexp.Regexp, environ ...string) (address string) {
	t.Helper()
	if _, err := fs.Stat(web.Dist, "documents/manifest.json"); err != nil {
		t.Skip("the screens are not built")
	}
	ctx, stop := context.WithCancel(context.Background())
	read, write := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		code := cli.Run(ctx, cli.Process{Args: []string{name}, Stdout: write, Stderr: write, Environ: append([]string{
			"PORTICO_LISTEN=127.0.0.1:0", "PORTICO_OPS_LISTEN=127.0.0.1:0",
			"PORTICO_DATABASE_URL=sqlite:" + filepath.Join(folder, "portico.db"), "PORTICO_SECRET_FILE=" + filepath.Join(folder, "secret.key"),
		}, environ...)})
		_ = write.Close()
		ended <- code
	}()
	t.Cleanup(func() {
		stop()
		if code := <-ended; code != 0 {
			t.Errorf("portico %s ends with %d", name, code)
		}
	})
	printed := ""
	lines := bufio.NewScanner(read)
	for address == "" && lines.Scan() {
		printed += lines.Text() + "\n"
		if found := ready.FindStringSubmatch(lines.Text()); found != nil {
			address = found[1]
		}
	}
	go func() { _, _ = io.Copy(io.Discard, read) }() // the rest
	if address == "" {
		t.Fatalf("portico %s does not serve:\n%s", name, printed)
	}
	return address
}

// forTests are the requests of the tests of apps.
var forTests = map[string]string{
	"POST /auth/api/dev/session": "{}", "GET /auth/api/dev/mail?to=mara@example.com&wait=0": "",
	"GET /auth/api/dev/clock": "", "POST /auth/api/dev/clock": `{"forward": "1m"}`, "POST /auth/api/dev/provider": `{"fails": "cancelled"}`,
}

// asTest sends a request as the test of an app does, with some headers in place of the usual ones.
func asTest(t *testing.T, address, pattern, body string, replaced http.Header) *http.Response {
	t.Helper()
	method, target, _ := strings.Cut(pattern, " ")
	r, err := http.NewRequestWithContext(t.Context(), method, "http://"+address+target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Sec-Fetch-Site": {"same-origin"}, "Content-Type": {"application/json"}}
	for name, values := range replaced {
		r.Header[name] = values
	}
	if host := replaced.Get("Host"); host != "" {
		r.Host = host
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	_ = answer.Body.Close()
	return answer
}

// SEC-428: what the tests of apps may do in `portico dev` does not exist in `portico serve`.
func TestSEC428_NothingForTestsInProduction(t *testing.T) {
	announce(t)
	t.Parallel()
	app := newApp(t, func(*http.Request) string { return "the app" })
	serving := commandServing(t, "serve", t.TempDir(), regexp.MustCompile(`"msg":"serving".*"listen":"([^"]+)"`),
		"PORTICO_PUBLIC_URL=https://portico.test", "PORTICO_SMTP_URL=smtp://localhost:1?tls=none", "PORTICO_MAIL_FROM=no-reply@portico.test",
		"PORTICO_UPSTREAM="+app.URL, "PORTICO_RULES=public /*")
	trial := commandServing(t, "dev", t.TempDir(), regexp.MustCompile(`Sign in +http://(localhost:\d+)/`))
	production := http.Header{"Host": {"portico.test"}}
	if answer := asTest(t, serving, "GET /", "", production); answer.StatusCode != 200 || len(app.asked()) != 1 {
		t.Fatalf("the app is answered %d", answer.StatusCode) // then the rest would say nothing
	}
	for pattern, body := range forTests {
		answer := asTest(t, serving, pattern, body, production)
		if answer.StatusCode != 404 || answer.Header["Set-Cookie"] != nil {
			t.Errorf("portico serve answers %s with %d %v", pattern, answer.StatusCode, answer.Header["Set-Cookie"])
		}
		if answer := asTest(t, trial, pattern, body, nil); answer.StatusCode != 200 && !strings.Contains(pattern, "/mail") {
			t.Errorf("portico dev answers %s with %d", pattern, answer.StatusCode)
		}
	}
	if len(app.asked()) != 1 {
		t.Errorf("the app has received %v", app.asked())
	}
}

// SEC-429: no page of another origin gets a session of `portico dev`, moves its time or plans an answer of its provider.
func TestSEC429_NoForeignPageUsesATrial(t *testing.T) {
	announce(t)
	t.Parallel()
	address := commandServing(t, "dev", t.TempDir(), regexp.MustCompile(`Sign in +http://(localhost:\d+)/`))
	for name, foreign := range map[string]http.Header{
		"a foreign page":            {"Origin": {"https://evil.test"}, "Sec-Fetch-Site": {"cross-site"}},
		"another port":              {"Origin": {"http://localhost:3000"}, "Sec-Fetch-Site": {"same-site"}},
		"the same port by a number": {"Origin": {"http://127.0.0.1:" + address[len("localhost:"):]}, "Sec-Fetch-Site": {"cross-site"}},
		"a sandboxed frame":         {"Origin": {"null"}, "Sec-Fetch-Site": {"cross-site"}},
		"without Origin":            {"Sec-Fetch-Site": {"cross-site"}},
		"an old browser":            {"Sec-Fetch-Site": nil, "Referer": {"https://evil.test/"}},
		"a name that leads here":    {"Host": {"evil.test"}, "Origin": {"http://evil.test"}, "Sec-Fetch-Site": {"same-origin"}},
		"the form of a page here":   {"Content-Type": {"application/x-www-form-urlencoded"}},
		"a text of a page here":     {"Content-Type": {"text/plain"}},
	} {
		for pattern, body := range forTests {
			if strings.HasPrefix(pattern, "GET ") && foreign["Host"] == nil {
				continue // the answer has no header that lets another origin read it
			}
			answer := asTest(t, address, pattern, body, foreign)
			if answer.StatusCode < 400 || answer.Header["Set-Cookie"] != nil {
				t.Errorf("%s from %s gets %d %v", pattern, name, answer.StatusCode, answer.Header["Set-Cookie"])
			}
		}
	}
	for pattern, body := range forTests {
		for _, method := range []string{"", "OPTIONS"} {
			sent := pattern
			if method != "" {
				_, target, _ := strings.Cut(pattern, " ")
				sent = method + " " + target
			}
			answer := asTest(t, address, sent, body, http.Header{"Origin": {"https://evil.test"}, "Access-Control-Request-Method": {"POST"}, "Access-Control-Request-Headers": {"content-type"}})
			for header := range answer.Header {
				if strings.HasPrefix(header, "Access-Control-") {
					t.Errorf("%s lets another origin read: %s", sent, header)
				}
			}
		}
	}
}
