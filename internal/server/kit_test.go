package server_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"portico/internal/locale"
	"portico/internal/logtest"
	"portico/internal/server"
	"portico/internal/testform"
)

const publicHost = "portico.test"

// kit is a Mux and its log.
type kit struct {
	*server.Mux
	log *logtest.Buffer
}

// newKit returns a Mux for the public URL that trusts 10.0.0.0/8 and fd00::/8.
func newKit(t testing.TB, publicURL string) *kit {
	t.Helper()
	public, err := url.Parse(publicURL)
	if err != nil {
		t.Fatal(err)
	}
	log := &logtest.Buffer{}
	return &kit{log: log, Mux: server.NewMux(server.Config{
		PublicURL:      public,
		AppHosts:       []string{"app.test"},
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")},
		HSTSSubdomains: true,
		Catalogue:      catalogue(t),
		Log:            debugLog(log),
	})}
}

// debugLog logs all levels.
func debugLog(b *logtest.Buffer) *slog.Logger {
	return slog.New(slog.NewJSONHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// catalogue returns a small catalogue, so that tests do not depend on the
// product's texts.
func catalogue(t testing.TB) *locale.Catalogue {
	t.Helper()
	c, err := locale.Load(fstest.MapFS{
		"en.json": {Data: []byte(`{
			"common.wait.minutes": {"one": "{count} minute", "other": "{count} minutes"},
			"error.internal": "Something failed.",
			"error.test.count": {"one": "{count} try left", "other": "{count} tries left"},
			"error.test.limited": "Wait {wait}.",
			"error.test.guessable": "Too easy: {reason}.",
			"error.test.guessable.year": "a year"
		}`)},
		"de.json": {Data: []byte(`{"error.internal": "Ein Fehler."}`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func httpsKit(t testing.TB) *kit { return newKit(t, "https://"+publicHost) }

// ok responds with status 200 and a short body.
func ok(w http.ResponseWriter, _ *http.Request) error {
	_, err := io.WriteString(w, "ok")
	return err
}

// request returns a request to the public host. headers are lines such as
// "Name: value".
func request(method, target, body string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Host = publicHost
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		if name == "Host" {
			r.Host = value
			continue
		}
		r.Header.Add(name, value)
	}
	return r
}

// do sends a request and returns the response.
func (k *kit) do(method, target, body string, headers ...string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	k.ServeHTTP(w, request(method, target, body, headers...))
	return w
}

// listen serves on a loopback port until the test ends.
func (k *kit) listen(t *testing.T) net.Addr {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	s := server.NewServer(k, slog.New(slog.NewJSONHandler(k.log, nil)))
	go func() { done <- server.Serve(ctx, s, l, 0, 5*time.Second) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return l.Addr()
}

// raw writes bytes to a new connection. It returns all responses until the
// server closes it or has sent want responses.
func raw(t *testing.T, addr net.Addr, sent string, want int) []*http.Response {
	t.Helper()
	c, err := net.Dial("tcp", addr.String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(testform.Patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, sent); err != nil {
		t.Logf("write: %v", err) // the server may have closed the connection
	}
	in := bufio.NewReader(c)
	var answers []*http.Response
	for len(answers) < want {
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			break
		}
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatalf("read the body: %v", err)
		}
		answer.Body = io.NopCloser(bytes.NewReader(body))
		answers = append(answers, answer)
	}
	return answers
}
