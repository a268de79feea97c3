package acme

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	host    = "login.portico.test"
	appHost = "app.portico.test"
)

// site is a Portico that terminates TLS.
type site struct {
	*testing.T
	*authority
	dir             string
	https, http     int
	ops             string
	log             *buffer
	cmd             *exec.Cmd
	ended           chan struct{}
	upstreamAddress string
}

func newSite(t *testing.T, seconds uint64, tlsValidation bool) *site {
	t.Helper()
	s := &site{T: t, dir: t.TempDir(), https: freePort(t), http: freePort(t), ops: local(freePort(t))}
	tlsPort := s.https
	if !tlsValidation {
		tlsPort = 1 // no server: only HTTP-01 is left
	}
	s.authority = newAuthority(t, s.http, tlsPort, seconds)
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Host+" "+r.Proto) }))
	t.Cleanup(app.Close)
	s.upstreamAddress = app.URL
	s.write(appHost)
	return s
}

// write writes the settings, with one app for each host.
func (s *site) write(hosts ...string) {
	s.Helper()
	var file strings.Builder
	fmt.Fprintf(&file, "public_url = \"https://%s:%d\"\nlisten = %q\nops_listen = %q\nsmtp_url = \"smtp://127.0.0.1:1?tls=none\"\nmail_from = \"a@portico.test\"\n", host, s.https, local(s.https), s.ops)
	fmt.Fprintf(&file, "database_url = \"sqlite:portico.db\"\nsecret_file = \"secret.key\"\n[tls]\nacme = true\nacme_directory = %q\nhttp_listen = %q\n", s.directory, local(s.http))
	for i, h := range hosts {
		fmt.Fprintf(&file, "[[app]]\nname = \"app%d\"\nhost = \"%s:%d\"\nupstream = %q\nrules = [\"public /*\"]\n", i, h, s.https, s.upstreamAddress)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "portico.toml"), []byte(file.String()), 0o600); err != nil {
		s.Fatal(err)
	}
}

// binary builds the product.
func binary(t *testing.T) string {
	t.Helper()
	path := filepath.Join(os.TempDir(), fmt.Sprintf("portico-acme-%d", os.Getpid()))
	build := exec.Command("go", "build", "-o", path, "./cmd/portico")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Cleanup(func() { _ = os.Remove(path) })
	return path
}

func (s *site) command(path string, args ...string) *exec.Cmd {
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = s.dir, []string{"HOME=" + s.dir, "SSL_CERT_FILE=" + s.trust}
	return cmd
}

func (s *site) start(path string) {
	s.Helper()
	s.log, s.ended = &buffer{}, make(chan struct{})
	s.cmd = s.command(path, "serve")
	s.cmd.Stderr = s.log
	if err := s.cmd.Start(); err != nil {
		s.Fatal(err)
	}
	ended, cmd := s.ended, s.cmd
	go func() { _ = cmd.Wait(); close(ended) }()
	s.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
}

func (s *site) stop() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	<-s.ended
}

// certificate makes a handshake and returns the leaf's serial number and expiry.
func (s *site) certificate(name string) (serial string, expires time.Time, err error) {
	c, err := tls.DialWithDialer(&net.Dialer{Timeout: 10 * time.Second}, "tcp", local(s.https), &tls.Config{ServerName: name, RootCAs: s.roots})
	if err != nil {
		return "", time.Time{}, err
	}
	defer c.Close()
	leaf := c.ConnectionState().PeerCertificates[0]
	return leaf.SerialNumber.String(), leaf.NotAfter, nil
}

// obtained waits for the certificate of a name.
func (s *site) obtained(name string) (serial string, expires time.Time) {
	s.Helper()
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		serial, expires, err := s.certificate(name)
		if err == nil {
			return serial, expires
		}
		if time.Since(began) > 25*time.Second {
			s.Fatalf("%s has no certificate: %v\n%s\n%s", name, err, s.log, s.authority.log)
		}
	}
}

// client follows no redirects and finds every name here.
func (s *site) client() *http.Client {
	t := &http.Transport{
		ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: s.roots},
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			_, port, _ := net.SplitHostPort(address)
			return new(net.Dialer).DialContext(ctx, network, "127.0.0.1:"+port)
		},
	}
	s.Cleanup(t.CloseIdleConnections)
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func (s *site) get(c *http.Client, url string) (*http.Response, string) {
	s.Helper()
	r, err := c.Get(url)
	if err != nil {
		s.Fatal(err)
	}
	defer r.Body.Close()
	body, _ := io.ReadAll(r.Body)
	return r, string(body)
}

func TestCertificates(t *testing.T) {
	path := binary(t)
	s := newSite(t, 90*24*3600, true)
	s.start(path)
	serial, _ := s.obtained(host)
	s.obtained(appHost)
	c := s.client()

	if r, body := s.get(c, fmt.Sprintf("https://%s:%d/auth/signin", host, s.https)); r.StatusCode != 200 || r.ProtoMajor != 2 || !strings.Contains(body, "<html") {
		t.Errorf("the sign-in page: %s %s", r.Proto, r.Status)
	}
	if r, body := s.get(c, fmt.Sprintf("https://%s:%d/x", appHost, s.https)); r.StatusCode != 200 || r.ProtoMajor != 2 || body != fmt.Sprintf("%s:%d HTTP/1.1", appHost, s.https) {
		t.Errorf("the app: %s %s %q", r.Proto, r.Status, body)
	}

	redirects := map[string]string{
		host + "/a/b?c=%2F":   fmt.Sprintf("https://%s:%d/a/b?c=%%2F", host, s.https),
		appHost + "/a":        fmt.Sprintf("https://%s:%d/a", appHost, s.https),
		"evil.portico.test/a": "",
	}
	for from, to := range redirects {
		name, rest, _ := strings.Cut(from, "/")
		r, _ := s.get(c, fmt.Sprintf("http://%s:%d/%s", name, s.http, rest))
		want := http.StatusPermanentRedirect
		if to == "" {
			want = http.StatusMisdirectedRequest
		}
		if r.StatusCode != want || r.Header.Get("Location") != to {
			t.Errorf("http://%s: %d to %q, want %d to %q", from, r.StatusCode, r.Header.Get("Location"), want, to)
		}
	}

	// A name that is not configured reaches neither a page nor the authority.
	before := s.requests.Load()
	for i := range 30 {
		if _, _, err := s.certificate(fmt.Sprintf("evil%d.portico.test", i)); err == nil {
			t.Fatal("a certificate for a name that is not configured")
		}
	}
	if now := s.requests.Load(); now != before || strings.Contains(s.authority.log.String(), "evil") {
		t.Errorf("%d requests to the authority for unknown names", now-before)
	}

	files, err := os.ReadDir(filepath.Join(s.dir, "certificates"))
	if err != nil || len(files) < 3 { // two certificates and the account key
		t.Errorf("%d files are kept: %v", len(files), err)
	}
	for _, f := range files {
		if info, _ := f.Info(); info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %o", f.Name(), info.Mode().Perm())
		}
	}

	// A restart takes the certificates that are kept.
	s.stop()
	before = s.requests.Load()
	s.start(path)
	if again, _ := s.obtained(host); again != serial || s.requests.Load() != before {
		t.Errorf("a restart gets another certificate: %d requests", s.requests.Load()-before)
	}

	// A reload with one more app gets one more certificate.
	s.write(appHost, "second.portico.test")
	if out, err := s.command(path, "reload").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s.obtained("second.portico.test")
	s.stop()
}

// Without an answer by TLS, the authority asks by http.
func TestCertificates_HTTP01(t *testing.T) {
	s := newSite(t, 90*24*3600, false)
	s.start(binary(t))
	s.obtained(host)
	if !strings.Contains(s.authority.log.String(), "validate w/ HTTP") {
		t.Error("the authority did not ask by http")
	}
	s.stop()
}

// A certificate is renewed before it expires, while the server serves.
func TestCertificates_Renewal(t *testing.T) {
	s := newSite(t, 60, true)
	s.start(binary(t))
	first, expires := s.obtained(host)
	for began := time.Now(); ; time.Sleep(200 * time.Millisecond) {
		serial, _, err := s.certificate(host)
		if err != nil {
			t.Fatalf("a handshake failed before the renewal: %v", err)
		}
		if serial != first {
			break
		}
		if time.Now().After(expires) || time.Since(began) > 2*time.Minute {
			t.Fatal("the certificate has expired")
		}
	}
	s.stop()
}

// An authority that is away is named in the log, in the metrics and by doctor.
func TestCertificates_AuthorityAway(t *testing.T) {
	path := binary(t)
	s := newSite(t, 90*24*3600, true)
	s.down.Store(true)
	s.start(path)
	failing := `portico_tls_certificate_failing{certificate="` + host + `"} 1`
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		if metrics, err := s.metrics(); err == nil && strings.Contains(metrics, failing) {
			break
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("no metric says that there is no certificate:\n%s", s.log)
		}
	}
	if !strings.Contains(s.log.String(), "no certificate for a host") {
		t.Errorf("the log does not say so:\n%s", s.log)
	}
	out, _ := s.command(path, "doctor").CombinedOutput()
	if !strings.Contains(string(out), "failed\tcertificate\t"+host) {
		t.Errorf("doctor says:\n%s", out)
	}
	s.stop()
}

func (s *site) metrics() (string, error) {
	r, err := http.Get("http://" + s.ops + "/metrics")
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	return string(body), errors.Join(err)
}
