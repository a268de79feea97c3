package egress_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/egress"
)

func newClient(t *testing.T, cfg egress.Config) *http.Client {
	t.Helper()
	c, err := egress.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.HTTP().CloseIdleConnections)
	return c.HTTP()
}

// get returns the status, the body and the error of one exchange.
func get(t *testing.T, c *http.Client, target string) (int, string, error) {
	t.Helper()
	resp, err := c.Get(target)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(body), err
}

// probe is a server on loopback that counts the connections it sees.
func probe(t *testing.T) (*httptest.Server, *atomic.Int64) {
	t.Helper()
	var seen atomic.Int64
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "inner")
	}))
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			seen.Add(1)
		}
	}
	srv.Start()
	t.Cleanup(srv.Close)
	return srv, &seen
}

func TestInnerAddressesAreNeverConnected(t *testing.T) {
	t.Parallel()
	srv, seen := probe(t)
	_, port, _ := net.SplitHostPort(srv.Listener.Addr().String())
	dns := &nameServer{answers: map[string][][]string{
		"inner.test.":   {{"127.0.0.1"}},
		"twofold.test.": {{"127.0.0.1", "10.0.0.7"}},
		"rebind.test.":  {{"192.0.2.10"}, {"127.0.0.1"}},
	}}
	c := newClient(t, egress.Config{Resolver: dns.resolver(), Timeout: 20 * time.Second})
	if _, err := dns.resolver().LookupHost(t.Context(), "rebind.test."); err != nil {
		t.Fatal(err) // a resolver that is checked first and asked again for the connection
	}
	hosts := []string{
		"127.0.0.1", "127.8.8.8", "[::1]", "[::ffff:127.0.0.1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::1]",
		"0.0.0.0", "[::]", "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "169.254.169.254", "[fe80::1%25lo]",
		"[fd00:ec2::254]", "[2002:7f00:1::]", "[2001:db8::1]", "224.0.0.1", "255.255.255.255", "0x7f.1", "0177.0.0.1",
		"2130706433", "localhost", "inner.test", "twofold.test", "rebind.test",
	}
	for _, host := range hosts {
		if _, body, err := get(t, c, "https://"+host+":"+port+"/"); err == nil {
			t.Errorf("%s: got %q, want no connection", host, body)
		}
	}
	if n := seen.Load(); n != 0 {
		t.Fatalf("the inner server saw %d connections, want none", n)
	}
}

func TestSchemes(t *testing.T) {
	t.Parallel()
	srv, _ := probe(t)
	open := newClient(t, egress.Config{Allow: []string{srv.URL}})
	if _, body, err := get(t, open, srv.URL+"/path?query"); err != nil || body != "inner" {
		t.Errorf("an allowed origin: got %q, %v", body, err)
	}
	for _, target := range []string{
		"http://example.test/", "gopher://127.0.0.1/", "file:///etc/passwd",
		strings.Replace(srv.URL, "127.0.0.1", "localhost", 1), // another origin at the same address
	} {
		if _, _, err := get(t, open, target); err == nil {
			t.Errorf("%s: want a refusal", target)
		}
	}
	if _, _, err := get(t, open, "http://example.test/"); !errors.Is(err, egress.ErrRefused) {
		t.Errorf("plain http: got %v, want ErrRefused", err)
	}
}

// A public address passes the check, so the connection itself fails.
func TestPublicAddressesAreNotRefused(t *testing.T) {
	t.Parallel()
	c := newClient(t, egress.Config{Timeout: time.Nanosecond})
	for _, host := range []string{"1.1.1.1", "[2606:4700::1111]", "172.32.0.1", "[64:ff9b::101:101]"} {
		if _, _, err := get(t, c, "https://"+host+"/"); err == nil || errors.Is(err, egress.ErrRefused) {
			t.Errorf("%s: got %v, want only a timeout", host, err)
		}
	}
}

func TestAllowedOriginDoesNotOpenLinkLocal(t *testing.T) {
	t.Parallel()
	c := newClient(t, egress.Config{Allow: []string{"http://169.254.169.254"}, Timeout: 20 * time.Second})
	if _, _, err := get(t, c, "http://169.254.169.254/latest/"); !errors.Is(err, egress.ErrRefused) {
		t.Fatalf("got %v, want ErrRefused", err)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	inner, seen := probe(t)
	for _, status := range []int{301, 302, 303, 307, 308} {
		outer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, inner.URL, status)
		}))
		t.Cleanup(outer.Close)
		c := newClient(t, egress.Config{Allow: []string{outer.URL, inner.URL}})
		resp, err := c.PostForm(outer.URL, url.Values{"client_secret": {"s"}})
		if err != nil || resp.StatusCode != status {
			t.Fatalf("got %v, %v, want the %d itself", resp, err, status)
		}
		_ = resp.Body.Close()
	}
	if n := seen.Load(); n != 0 {
		t.Fatalf("the target of the redirect saw %d connections, want none", n)
	}
}

func TestAnswerSize(t *testing.T) {
	t.Parallel()
	const limit = 1000
	var written atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/endless" {
			for block := strings.Repeat("x", 4096); r.Context().Err() == nil && written.Load() < 1<<30; {
				n, err := io.WriteString(w, block)
				written.Add(int64(n))
				if err != nil {
					return
				}
			}
			return
		}
		var n int
		_, _ = fmt.Sscanf(r.URL.Path, "/%d", &n)
		if r.URL.Query().Has("declared") {
			w.Header().Set("Content-Length", fmt.Sprint(n))
		}
		_, _ = io.WriteString(w, strings.Repeat("x", n))
	}))
	t.Cleanup(srv.Close)
	c := newClient(t, egress.Config{Allow: []string{srv.URL}, MaxBytes: limit})
	for path, want := range map[string]error{
		"/999": nil, "/1000": nil, "/1001": egress.ErrTooLarge, "/1001?declared": egress.ErrTooLarge,
		"/1000?declared": nil, "/endless": egress.ErrTooLarge,
	} {
		if _, body, err := get(t, c, srv.URL+path); !errors.Is(err, want) || len(body) > limit {
			t.Errorf("%s: got %d bytes, %v, want %v", path, len(body), err, want)
		}
	}
	c.CloseIdleConnections()
	if n := written.Load(); n > 64<<20 {
		t.Errorf("an endless answer went on for %d bytes", n)
	}
}

func TestAnswersAreLimitedByDefault(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := 256 << 10
		if r.URL.Path == "/more" {
			n++
		}
		_, _ = io.WriteString(w, strings.Repeat("x", n))
	}))
	t.Cleanup(srv.Close)
	c := newClient(t, egress.Config{Allow: []string{srv.URL}})
	for path, want := range map[string]error{"/most": nil, "/more": egress.ErrTooLarge} {
		if _, body, err := get(t, c, srv.URL+path); !errors.Is(err, want) || len(body) != 256<<10 {
			t.Errorf("%s: got %d bytes, %v, want %v", path, len(body), err, want)
		}
	}
}

func TestTimeCoversHeadersAndBody(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/body" {
			_, _ = io.WriteString(w, "start")
			_ = http.NewResponseController(w).Flush()
		}
		<-r.Context().Done()
	}))
	t.Cleanup(srv.Close)
	c := newClient(t, egress.Config{Allow: []string{srv.URL}, Timeout: 50 * time.Millisecond})
	for _, path := range []string{"/headers", "/body"} {
		_, _, err := get(t, c, srv.URL+path)
		if ne, ok := errors.AsType[net.Error](err); !ok || !ne.Timeout() {
			t.Errorf("%s: got %v, want a timeout", path, err)
		}
	}
}

// A server that never answers a handshake keeps no connection.
func TestTimeCoversTheHandshake(t *testing.T) {
	t.Parallel()
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_ = listener.SetDeadline(time.Now().Add(20 * time.Second))
	ended := make(chan error, 1)
	go func() {
		conn, err := listener.Accept()
		if err == nil {
			_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
			_, err = io.Copy(io.Discard, conn)
			_ = conn.Close()
		}
		ended <- err
	}()
	target := "https://" + listener.Addr().String()
	_, _, err = get(t, newClient(t, egress.Config{Allow: []string{target}, Timeout: 50 * time.Millisecond}), target)
	if ne, ok := errors.AsType[net.Error](err); !ok || !ne.Timeout() {
		t.Errorf("got %v, want a timeout", err)
	}
	if err := <-ended; err != nil {
		t.Errorf("the connection is not closed: %v", err)
	}
}

func TestNewNamesWhatIsNotAnOrigin(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"id.corp.test", "https://id.corp.test/path", "https://u@id.corp.test", "ftp://id.corp.test", "https://", "https://id.corp.test?x"} {
		if _, err := egress.New(egress.Config{Allow: []string{text}}); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%q: got %v, want an error that names it", text, err)
		}
	}
}

// Who logs an error does not know which part of an address is a secret of the server.
func TestErrorsDoNotHaveTheAddress(t *testing.T) {
	t.Parallel()
	srv, _ := probe(t)
	srv.Close()
	c, err := egress.New(egress.Config{Allow: []string{srv.URL}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	_, posted := c.PostJSON(t.Context(), srv.URL+"/hidden?key=hidden", http.Header{}, []byte("{}"))
	_, got := c.GetJSON(t.Context(), srv.URL+"/hidden?key=hidden")
	for _, err := range []error{posted, got} {
		if err == nil || strings.Contains(err.Error(), "hidden") || !strings.Contains(err.Error(), srv.Listener.Addr().String()) {
			t.Errorf("the error is %v", err)
		}
	}
}
