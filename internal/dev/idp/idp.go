package idp

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/go-jose/go-jose/v4"

	"portico/internal/clock"
	"portico/internal/secret"
)

const (
	codeLife    = 60 * time.Second
	tokenLife   = 5 * time.Minute
	sessionLife = 12 * time.Hour
	maxFormSize = 64 << 10 // bytes

	authorizePath = "/authorize"
)

// Config describes the provider and its only client.
type Config struct {
	Issuer       string // "http://127.0.0.1:9001": on loopback, without a path
	ClientID     string
	ClientSecret string
	RedirectURI  string // compared exactly
	Clock        clock.Clock
}

// Provider is the handler of the provider. Mount it at the root of the issuer.
type Provider struct {
	http.Handler
	config  Config
	host    string // host of the issuer
	signer  jose.Signer
	keys    jose.JSONWebKeySet // public keys
	codes   *shelf[grant]
	persons *shelf[person] // keyed by access token
	kept    *shelf[login]  // keyed by session cookie
	plans   *shelf[Plan]   // keyed by planCookie
}

// New returns a provider. It returns an error if the issuer is not on loopback or if the client is
// incomplete.
func New(cfg Config) (*Provider, error) {
	issuer, err := url.Parse(cfg.Issuer)
	if err != nil || issuer.Scheme != "http" || !loopback(issuer.Hostname()) || issuer.Scheme+"://"+issuer.Host != cfg.Issuer {
		return nil, fmt.Errorf("the issuer %q of the stand-in provider must be http://127.0.0.1:port: it signs in anybody", cfg.Issuer)
	}
	if cfg.ClientID == "" || cfg.ClientSecret == "" || cfg.RedirectURI == "" {
		return nil, fmt.Errorf("the stand-in provider needs a client id, a client secret and a redirect address")
	}
	p := &Provider{
		config: cfg, host: issuer.Host,
		codes: newShelf[grant](cfg.Clock, codeLife), persons: newShelf[person](cfg.Clock, tokenLife),
		kept: newShelf[login](cfg.Clock, sessionLife), plans: newShelf[Plan](cfg.Clock, planLife),
	}
	if err := p.makeKey(); err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", p.home)
	mux.HandleFunc("GET /.well-known/openid-configuration", p.discovery)
	mux.HandleFunc("GET /keys", p.published)
	mux.HandleFunc("GET "+authorizePath, p.ask)
	mux.HandleFunc("POST "+authorizePath, p.decide)
	mux.HandleFunc("POST /signout", p.signOut)
	mux.HandleFunc("POST /token", p.token)
	mux.HandleFunc("GET /userinfo", p.userinfo)
	mux.HandleFunc("GET /style.css", style)
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	p.Handler = p.guard(mux)
	return p, nil
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// guard refuses other host names. Otherwise a web page could point its own name
// at loopback (DNS rebinding).
func (p *Provider) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != p.host {
			http.Error(w, "open "+p.config.Issuer+" instead", http.StatusMisdirectedRequest)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxFormSize)
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		next.ServeHTTP(w, r)
	})
}

// makeKey creates a signing key at each start. Clients fetch it.
func (p *Provider) makeKey() error {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	key := jose.JSONWebKey{Key: private, KeyID: secret.Token(), Algorithm: string(jose.ES256), Use: "sig"}
	p.keys = jose.JSONWebKeySet{Keys: []jose.JSONWebKey{key.Public()}}
	p.signer, err = jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key}, (&jose.SignerOptions{}).WithType("JWT"))
	return err
}

// discovery serves the metadata (OpenID Connect Discovery 4).
func (p *Provider) discovery(w http.ResponseWriter, _ *http.Request) {
	at := p.config.Issuer
	answer(w, http.StatusOK, map[string]any{
		"issuer":                 at,
		"authorization_endpoint": at + authorizePath,
		"token_endpoint":         at + "/token",
		"userinfo_endpoint":      at + "/userinfo",
		"jwks_uri":               at + "/keys",

		"scopes_supported":                      []string{"openid", "email", "profile"},
		"claims_supported":                      []string{"sub", "email", "email_verified", "name", "auth_time"},
		"prompt_values_supported":               []string{"none", "login", "select_account"},
		"response_types_supported":              []string{"code"},
		"response_modes_supported":              []string{"query"},
		"grant_types_supported":                 []string{"authorization_code"},
		"subject_types_supported":               []string{"public"},
		"id_token_signing_alg_values_supported": []string{string(jose.ES256)},
		"token_endpoint_auth_methods_supported": []string{"client_secret_basic", "client_secret_post"},
		"code_challenge_methods_supported":      []string{"S256"},
		"request_uri_parameter_supported":       false,

		"authorization_response_iss_parameter_supported": true,
	})
}

func (p *Provider) published(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, p.keys)
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
