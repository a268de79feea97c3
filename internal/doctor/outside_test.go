package doctor

import (
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portico/internal/apptest"
	"portico/internal/config"
)

func TestMail(t *testing.T) {
	t.Parallel()
	mail := newMailServer(t)
	cfg := settings(t, t.TempDir())
	for _, tt := range []struct {
		user, query, from string
		state             State
		words             string
	}{
		{"ada:hunter2@", "?tls=none", "Example <no-reply@example.org>", OK, "logged in"},
		{"", "?tls=none", "no-reply@example.org", OK, "without logging in"},
		{"ada:hunter9@", "?tls=none", "no-reply@example.org", Failed, ": the login at the mail server fails (login: "},
		{"ada:hunter2@", "?tls=none", "else@example.org", Failed, "not your address\"): use a mail_from"},
		{"ada:hunter2@", "", "no-reply@example.org", Failed, "STARTTLS"},
	} {
		cfg.SMTPURL, cfg.MailFrom = "smtp://"+tt.user+mail.addr+tt.query, tt.from
		expect(t, cfg, "mail", tt.state, tt.words)
	}
	cfg.SMTPURL = "smtp://" + speaker(t, "HTTP/1.1 400 Bad Request\r\n") + "?tls=none"
	expect(t, cfg, "mail", Failed, ": what answers is no mail server (greeting: ")
	cfg.SMTPURL = ""
	expect(t, cfg, "mail", Skipped, "is not set")
}

// speaker returns the address of a server that says words to each client, and hangs up.
func speaker(t *testing.T, words string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte(words))
			_ = conn.Close()
		}
	}()
	return l.Addr().String()
}

// A provider without keys fails, even if its discovery document can be read.
func TestProvider(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	right := provider(t)
	cfg.Providers = []config.Provider{right}
	expect(t, cfg, "provider corp", OK, "discovery document and keys can be read")
	issuer, err := url.Parse(right.Issuer)
	if err != nil {
		t.Fatal(err)
	}
	inner := httputil.NewSingleHostReverseProxy(issuer)
	front := serve(t, func(w http.ResponseWriter, r *http.Request) { inner.ServeHTTP(w, r) })
	cfg.Providers[0].Issuer = front.String() // its document names another issuer, as in a mix-up attack
	expect(t, cfg, "provider corp", Failed, "its discovery document or keys cannot be read (")
}

// A server with a certificate of the operator's own authority is found once the
// settings name that authority.
func TestPrivateAuthority(t *testing.T) {
	t.Parallel()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/jwks" { // the key is of RFC 7517 A.1
			_, _ = io.WriteString(w, `{"keys":[{"kty":"EC","crv":"P-256","use":"sig","kid":"1","alg":"ES256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}]}`)
			return
		}
		_, _ = io.WriteString(w, strings.ReplaceAll(`{"issuer":"@","authorization_endpoint":"@/a","token_endpoint":"@/t","jwks_uri":"@/jwks","response_types_supported":["code"],"id_token_signing_alg_values_supported":["ES256"]}`, "@", "https://"+r.Host))
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	cfg := settings(t, t.TempDir())
	cfg.Providers = []config.Provider{{ID: "corp", Name: "Corp", Preset: "openid", Issuer: s.URL, ClientID: "portico", ClientSecret: "hunter3"}}
	cfg.App.Upstream = &url.URL{Scheme: "https", Host: s.Listener.Addr().String()}
	expect(t, cfg, "provider corp", Failed, "its certificate is not trusted (")
	expect(t, cfg, "provider corp", Failed, "tls.ca_file")
	expect(t, cfg, "app app", Failed, "tls.ca_file")
	cfg.TLS.CAFile = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(cfg.TLS.CAFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	expect(t, cfg, "provider corp", OK, "discovery document and keys can be read")
	expect(t, cfg, "app app", OK, "answers")
}

func TestServer(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	expect(t, cfg, "server", Warning, "Portico is not running here (dial tcp ")
	for body, words := range map[string]string{"stopping\n": "not ready", "the database takes no writes\n": "not ready", "hello": "another program"} {
		cfg.OpsListen = serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }).Host
		expect(t, cfg, "server", Failed, words)
	}
}

// front is a proxy in front of a Site, at the name of its public URL.
func front(t *testing.T, changes ...func(*config.Config)) (cfg config.Config, be func(http.HandlerFunc), to *httputil.ReverseProxy) {
	t.Helper()
	var now http.HandlerFunc
	u := serve(t, func(w http.ResponseWriter, r *http.Request) { now(w, r) })
	u.Host = "localhost:" + u.Port()
	s := apptest.Start(t, append(changes, func(c *config.Config) { c.PublicURL = u })...)
	to = &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http", Host: s.Addr})
		r.Out.Host = r.In.Host
		r.SetXForwarded()
	}}
	now = to.ServeHTTP
	return settingsOf(s), func(h http.HandlerFunc) { now = h }, to
}

func TestPublicURL(t *testing.T) {
	t.Parallel()
	cfg, be, to := front(t)
	expect(t, cfg, "public_url", OK, "this installation")

	elsewhere := settingsOf(apptest.Start(t, func(c *config.Config) { // with keys of its own
		c.DatabaseURL, c.SecretFile = "sqlite:"+filepath.Join(t.TempDir(), "p.db"), filepath.Join(t.TempDir(), "key")
	}))
	elsewhere.PublicURL = cfg.PublicURL
	expect(t, elsewhere, "public_url", Failed, "another installation")

	for words, h := range map[string]http.HandlerFunc{
		"changes the Host header":      func(w http.ResponseWriter, r *http.Request) { r.Host = "10.0.0.7"; to.ServeHTTP(w, r) },
		"the proxy in front answers 5": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
		"with a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://x.test/", http.StatusMovedPermanently)
		},
		"another program answers": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("welcome")) },
		"Portico answers 404":     func(w http.ResponseWriter, r *http.Request) { r.URL.Path = "/auth/api/x"; to.ServeHTTP(w, r) },
	} {
		be(h)
		expect(t, cfg, "public_url", Failed, words)
	}
	alone := settings(t, t.TempDir()) // before anything is started, this is only a warning
	alone.PublicURL = cfg.PublicURL
	be(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	expect(t, alone, "public_url", Warning, "portico serve")
	alone.PublicURL = &url.URL{Scheme: "https", Host: "no-such-name.invalid"}
	expect(t, alone, "public_url", Failed, "no address of no-such-name.invalid is found (lookup ")
	cfg.PublicURL = &url.URL{Scheme: "http", Host: "localhost:" + port(deaf(t))}
	expect(t, cfg, "public_url", Failed, cfg.PublicURL.String()+" does not answer (dial tcp ")
}

func TestTrustedProxies(t *testing.T) {
	t.Parallel()
	for networks, want := range map[string]State{"127.0.0.0/8": OK, "10.0.0.0/8": Failed} {
		cfg, be, to := front(t, func(c *config.Config) {
			c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix(networks)}
			c.App.Upstream = serve(t, http.NotFound)
		})
		expect(t, cfg, "trusted_proxies", want, "")
		be(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/auth/api/check" {
				http.NotFound(w, r) // as with forward-auth
				return
			}
			to.ServeHTTP(w, r)
		})
		expect(t, cfg, "trusted_proxies", Skipped, "this can be tested only if")
	}
	cfg, _, _ := front(t, func(c *config.Config) { c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")} })
	expect(t, cfg, "trusted_proxies", Skipped, "this can be tested only if") // without apps
}

// A certificate that browsers refuse is a failure.
func TestPublicURL_Certificate(t *testing.T) {
	t.Parallel()
	s := httptest.NewTLSServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(s.Close)
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	cfg := settings(t, t.TempDir())
	cfg.PublicURL = u
	expect(t, cfg, "public_url", Failed, "the certificate at "+s.URL+" is refused (tls: ")
}
