package proxies

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"portico/internal/apptest"
	"portico/internal/config"
)

const origin = "https://example.com" // as on the pages

// page returns the first block of a language on a page of docs/integrating.
func page(t *testing.T, name, language string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "integrating", name))
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)\n```" + language + "\n(.*?)\n```\n").FindSubmatch(text)
	if block == nil {
		t.Fatalf("%s has no block of %s", name, language)
	}
	return string(block[1]) + "\n"
}

// place holds the test's addresses and files for a page.
type place struct {
	*testing.T
	dir   string
	site  *apptest.Site
	app   *echoApp
	proxy string // the address of its listener
}

// start runs Portico with the settings of a page, changed by the options, an app and the proxy.
func start(t *testing.T, settings string, proxy func(*place) *exec.Cmd, options ...func(*config.Config)) *place {
	t.Helper()
	p := &place{T: t, dir: t.TempDir(), app: newEchoApp(t), proxy: freeAddr(t)}
	file := filepath.Join(p.dir, "portico.toml")
	p.write(file, p.local(page(t, settings, "toml")))
	read, err := config.Load(file, nil)
	if err != nil {
		t.Fatalf("the settings on %s: %v", settings, err)
	}
	p.site = apptest.Start(t, func(c *config.Config) {
		c.PublicURL, c.TrustedProxies, c.Apps, c.App.Upstream, c.App.Rules = read.PublicURL, read.TrustedProxies, read.Apps, read.App.Upstream, read.App.Rules
		for _, o := range options {
			o(c)
		}
	})
	p.site.Clock.Advance(time.Since(p.site.Clock.Now())) // the clock of the machine decides whether a token is valid
	p.certify()
	p.run(proxy(p))
	return p
}

// local replaces the addresses and files of a page with the test's own.
func (p *place) local(text string) string {
	_, port, _ := net.SplitHostPort(p.proxy)
	pairs := []string{
		"127.0.0.1:3000", p.app.addr, "listen 443", "listen " + p.proxy, "bind :443", "bind " + p.proxy,
		"Listen 443", "Listen " + p.proxy, "*:443", "*:" + port, "/etc/ssl/", p.dir + "/", "/etc/haproxy/", p.dir + "/", "/etc/nginx/", p.dir + "/",
	}
	if p.site != nil {
		pairs = append(pairs, "127.0.0.1:8080", p.site.Addr)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

func (p *place) write(file, text string) string {
	p.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		p.Fatal(err)
	}
	return file
}

// certify creates a certificate for the host of the pages.
func (p *place) certify() {
	p.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		p.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "example.com"}, DNSNames: []string{"example.com"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		p.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		p.Fatal(err)
	}
	crt := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	secret := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))
	p.write(filepath.Join(p.dir, "example.com.crt"), crt)
	p.write(filepath.Join(p.dir, "example.com.key"), secret)
	p.write(filepath.Join(p.dir, "example.com.pem"), crt+secret)
}

// program finds a proxy, or skips the test.
func program(t *testing.T, name string) string {
	t.Helper()
	for _, dir := range append(filepath.SplitList(os.Getenv("PATH")), "/usr/sbin") {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path
		}
	}
	t.Skipf("there is no %s: run tools/proxies", name)
	return ""
}

// run starts the proxy and waits until it serves TLS: Caddy listens before it has made its
// certificate.
func (p *place) run(command *exec.Cmd) {
	p.Helper()
	p.await(command, func() (net.Conn, error) { return p.handshake() })
}

// await starts a program and waits until it takes connections. The end of the test kills the
// program and its children.
func (p *place) await(command *exec.Cmd, connect func() (net.Conn, error)) {
	p.Helper()
	log, err := os.Create(filepath.Join(p.dir, "log"))
	if err != nil {
		p.Fatal(err)
	}
	defer log.Close()
	command.Stdout, command.Stderr, command.Dir = log, log, p.dir
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		p.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = command.Wait()
		close(ended)
	}()
	p.Cleanup(func() {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
		<-ended
		if p.Failed() {
			text, _ := os.ReadFile(log.Name())
			p.Logf("the program says:\n%s", text)
		}
	})
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		c, err := connect()
		if err == nil {
			_ = c.Close()
			return
		}
		select {
		case <-ended:
			p.Fatal("the program does not start")
		default:
		}
		if time.Now().After(deadline) {
			p.Fatal("the program takes no connections: ", err)
		}
	}
}

// handshake opens a TLS connection to the proxy.
func (p *place) handshake() (*tls.Conn, error) {
	dialer := &net.Dialer{Timeout: 20 * time.Second}
	settings := &tls.Config{ServerName: hostOf(p.T, origin), InsecureSkipVerify: true} // the certificate is self-signed
	return tls.DialWithDialer(dialer, "tcp", p.proxy, settings)
}

// freeAddr returns an unused loopback address.
func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func hostOf(t *testing.T, raw string) string {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}
