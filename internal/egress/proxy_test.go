package egress_test

import (
	"bufio"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"portico/internal/egress"
	"portico/internal/egress/egresstest"
)

// withUser returns the address of the proxy with credentials, as in HTTPS_PROXY.
func withUser(p *egresstest.Proxy) string {
	return strings.Replace(p.URL, "http://", "http://ada:hunter2@", 1)
}

// private returns a server by TLS that answers as example.com, and a file with its authority.
func private(t *testing.T) (*httptest.Server, string) {
	t.Helper()
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "for "+r.Host) }))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(s.Close)
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return s, file
}

// by returns a client that takes a proxy and trusts an authority.
func by(t *testing.T, proxy, except, authority string, cfg egress.Config) *http.Client {
	t.Helper()
	var err error
	if cfg.Proxy, err = egress.Proxy(proxy, except); err != nil {
		t.Fatal(err)
	}
	if cfg.Roots, err = egress.Roots(authority); err != nil {
		t.Fatal(err)
	}
	return newClient(t, cfg)
}

const basic = " Basic YWRhOmh1bnRlcjI="

// An origin that the operator has named is reached by its name. Any other one is
// reached at the address that was judged.
func TestProxy(t *testing.T) {
	t.Parallel()
	server, authority := private(t)
	proxy := egresstest.NewProxy(t, server.Listener.Addr().String(), http.StatusOK)
	dns := &nameServer{answers: map[string][][]string{"example.com.": {{"10.0.0.7", "1.1.1.1"}}}}
	named := by(t, withUser(proxy), "", authority, egress.Config{Allow: []string{"https://example.com"}, Resolver: (&nameServer{}).resolver()})
	other := by(t, withUser(proxy), "", authority, egress.Config{Resolver: dns.resolver()})
	for i, want := range []string{"CONNECT example.com:443" + basic, "CONNECT 1.1.1.1:443" + basic} {
		_, body, err := get(t, []*http.Client{named, other}[i], "https://example.com/x")
		if got := proxy.Asked(); err != nil || body != "for example.com" || !slices.Equal(got, []string{want}) {
			t.Errorf("got %q, %v by %q, want %q", body, err, got, want)
		}
	}
	strange := by(t, withUser(proxy), "", "", egress.Config{Allow: []string{"https://example.com"}})
	if _, _, err := get(t, strange, "https://example.com/x"); err == nil || !strings.Contains(err.Error(), "unknown authority") {
		t.Errorf("without the authority: %v", err)
	}
	proxy.Asked()
	inner, seen := probe(t)
	direct := by(t, withUser(proxy), "", authority, egress.Config{Allow: []string{inner.URL, "https://" + server.Listener.Addr().String()}})
	for _, target := range []string{inner.URL, "https://" + server.Listener.Addr().String()} { // plain http, and loopback
		if _, _, err := get(t, direct, target); err != nil {
			t.Errorf("%s: %v", target, err)
		}
	}
	if got := proxy.Asked(); len(got) > 0 || seen.Load() != 1 {
		t.Errorf("the proxy was asked for %q", got)
	}
	apart := by(t, withUser(proxy), ".corp.test", authority, egress.Config{Allow: []string{"https://id.corp.test"}, Resolver: (&nameServer{}).resolver()})
	if _, _, err := get(t, apart, "https://id.corp.test/"); err == nil || len(proxy.Asked()) > 0 {
		t.Errorf("NO_PROXY has no effect: %v", err)
	}
}

// SEC-362: a proxy resolves names by itself. It must not be asked for a server inside.
func TestProxy_InnerAddresses(t *testing.T) {
	t.Parallel()
	server, authority := private(t)
	proxy := egresstest.NewProxy(t, server.Listener.Addr().String(), http.StatusOK)
	dns := &nameServer{answers: map[string][][]string{
		"inner.test.": {{"10.0.0.1"}}, "twofold.test.": {{"127.0.0.1", "10.0.0.7"}}, "metadata.test.": {{"169.254.169.254"}}, "rebind.test.": {{"1.1.1.1"}, {"10.0.0.1"}},
	}}
	c := by(t, withUser(proxy), "", authority, egress.Config{Allow: []string{"https://169.254.169.254", "https://[fe80::1]"}, Resolver: dns.resolver()})
	for _, host := range []string{
		"10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "169.254.169.254", "[fe80::1]", "[fd00:ec2::254]", "[64:ff9b::7f00:1]", "[::ffff:10.0.0.1]", "0.0.0.0",
		"0x7f.1", "2130706433", "inner.test", "twofold.test", "metadata.test", "nowhere.test", "127.0.0.1", "localhost", "[::1]",
	} {
		if _, body, err := get(t, c, "https://"+host+"/"); err == nil {
			t.Errorf("%s: got %q", host, body)
		}
		if got := proxy.Asked(); len(got) > 0 {
			t.Errorf("%s: the proxy was asked for %q", host, got)
		}
	}
	// The second answer of a name server counts for the next connection only.
	_, _, _ = get(t, c, "https://rebind.test/") // its certificate is for another name
	if got := proxy.Asked(); !slices.Equal(got, []string{"CONNECT 1.1.1.1:443" + basic}) {
		t.Errorf("the proxy was asked for %q", got)
	}
	if _, _, err := get(t, c, "https://rebind.test/"); !errors.Is(err, egress.ErrRefused) || len(proxy.Asked()) > 0 {
		t.Errorf("a name that leads inside now: %v", err)
	}
}

func TestProxy_Failures(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusForbidden, http.StatusProxyAuthRequired} {
		c := by(t, withUser(egresstest.NewProxy(t, "", status)), "", "", egress.Config{Allow: []string{"https://example.com"}})
		if _, _, err := get(t, c, "https://example.com/"); err == nil || !strings.Contains(err.Error(), http.StatusText(status)) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("a proxy that answers %d: %v", status, err)
		}
	}
	chatty, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer chatty.Close()
	go func() {
		c, err := chatty.Accept()
		if err != nil {
			return
		}
		_, _ = http.ReadRequest(bufio.NewReader(c))
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n")
		_ = c.Close()
	}()
	c := by(t, "http://"+chatty.Addr().String(), "", "", egress.Config{Allow: []string{"https://example.com"}})
	if _, body, err := get(t, c, "https://example.com/"); err == nil || !strings.Contains(err.Error(), "before the connection begins") {
		t.Errorf("a proxy that answers for the server: %q, %v", body, err)
	}
	for _, address := range []string{"socks5://127.0.0.1:1080", "ftp://proxy.test", "http://", "http://user:hunter2@", "%zz"} {
		if _, err := egress.Proxy(address, ""); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", address, err)
		}
	}
	if of, err := egress.Proxy("proxy.test:3128", "corp.test"); err != nil {
		t.Error(err)
	} else if u, err := of(&url.URL{Scheme: "https", Host: "id.test:443"}); err != nil || u.String() != "http://proxy.test:3128" {
		t.Errorf("a proxy without scheme: %v, %v", u, err)
	}
}

func TestRoots(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{empty, empty + "x", t.TempDir(), os.DevNull} {
		if _, err := egress.Roots(path); err == nil {
			t.Errorf("%s: no error", path)
		}
	}
	if roots, err := egress.Roots(""); roots != nil || err != nil {
		t.Errorf("no file: %v, %v", roots, err)
	}
}
