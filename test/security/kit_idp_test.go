package security

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"portico/internal/config"
	"portico/internal/openid/openidtest"
)

const (
	clientID     = "portico"
	clientSecret = "canary-client-secret 91"
)

// idp is an OpenID provider whose responses a test chooses.
type idp struct {
	t      *testing.T
	server *httptest.Server
	key    *ecdsa.PrivateKey

	mu        sync.Mutex
	claims    object // of the next ID token; nil leaves the token out
	userinfo  object // the response of UserInfo
	forge     func(signed string) string
	codes     map[string]url.Values // the authorization request of each code
	posted    url.Values            // the last token request
	asked     int                   // the number of requests so far
	askedKeys int                   // the number of requests for the keys
	signer    *ecdsa.PrivateKey     // signs instead of the published key
	metadata  object                // changes to the discovery document
	away      string                // where /away redirects
	id        string                // in the settings
	site      *site
}

func newIDP(t *testing.T) *idp {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p := &idp{t: t, key: key, codes: map[string]url.Values{}, claims: object{}, userinfo: object{}}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		u := p.server.URL
		document := object{
			"issuer": u, "authorization_endpoint": u + "/authorize", "token_endpoint": u + "/token", "jwks_uri": u + "/keys",
			"userinfo_endpoint": u + "/userinfo", "id_token_signing_alg_values_supported": []string{"ES256"},
			"authorization_response_iss_parameter_supported": true,
		}
		p.mu.Lock()
		maps.Copy(document, p.metadata)
		p.mu.Unlock()
		respond(w, 200, document)
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.askedKeys++
		respond(w, 200, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: p.key.Public(), KeyID: "k", Algorithm: "ES256", Use: "sig"}}})
	})
	mux.HandleFunc("/userinfo", func(w http.ResponseWriter, _ *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		respond(w, 200, p.userinfo)
	})
	mux.HandleFunc("/token", p.token)
	mux.HandleFunc("/endless", func(w http.ResponseWriter, _ *http.Request) { // the right keys, and more than Portico reads
		respond(w, 200, object{"keys": []jose.JSONWebKey{{Key: p.key.Public(), KeyID: "k"}}, "more": strings.Repeat("x", 1<<20)})
	})
	mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, p.away, http.StatusFound) })
	p.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.asked++
		p.mu.Unlock()
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(p.server.Close)
	return p
}

func respond(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// token redeems a code once, for the right client, address and verifier.
func (p *idp) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = r.ParseForm()
	p.posted = r.PostForm
	request, known := p.codes[r.PostForm.Get("code")]
	delete(p.codes, r.PostForm.Get("code"))
	digest := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
	id, secret, _ := r.BasicAuth()
	if id, secret = unescape(id), unescape(secret); !known || id != clientID || secret != clientSecret ||
		request.Get("code_challenge_method") != "S256" || base64.RawURLEncoding.EncodeToString(digest[:]) != request.Get("code_challenge") ||
		r.PostForm.Get("redirect_uri") != request.Get("redirect_uri") {
		respond(w, 400, object{"error": "invalid_grant"})
		return
	}
	now := p.site.clock.Now().Unix()
	claims := object{
		"iss": p.server.URL, "aud": clientID, "sub": "subject-1", "iat": now, "exp": now + 300, "nonce": request.Get("nonce"),
	}
	maps.Copy(claims, p.claims)
	maps.DeleteFunc(claims, func(_ string, v any) bool { return v == nil })
	signed := p.sign(encode(claims))
	if p.forge != nil {
		signed = p.forge(signed)
	}
	respond(w, 200, object{"access_token": "canary-access-token-92", "token_type": "Bearer", "expires_in": 60, "id_token": signed})
}

func unescape(s string) string {
	s, _ = url.QueryUnescape(s)
	return s
}

func (p *idp) sign(payload string) string {
	return sign(p.t, jose.ES256, jose.JSONWebKey{Key: cmp.Or(p.signer, p.key), KeyID: "k"}, payload)
}

func sign(t *testing.T, alg jose.SignatureAlgorithm, key any, payload string) string {
	return openidtest.Sign(t, alg, key, payload, object{"typ": "JWT"})
}

// says sets the claims of the next ID token.
func (p *idp) says(claims object) *idp {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.claims = claims
	return p
}

// at configures the provider under an id.
func (p *idp) at(id string, trusted bool) option {
	p.id = id
	return func(c *config.Config) {
		c.Providers = append(c.Providers, config.Provider{
			ID: id, Preset: "openid", Issuer: p.server.URL, Name: "Acme", ClientID: clientID, ClientSecret: clientSecret, TrustEmail: trusted,
		})
	}
}

// startWithIDP runs a site with one provider, "acme".
func startWithIDP(t *testing.T, trusted bool, options ...option) (*site, *idp) {
	t.Helper()
	p := newIDP(t)
	s := start(t, append(options, p.at("acme", trusted))...)
	p.site = s
	return s, p
}

var refreshIn = regexp.MustCompile(`content="0;url=([^"]+)"`)

// leave begins a sign-in with the provider and returns the request that the
// browser takes there.
func (v *visitor) leave(provider string, fields url.Values) url.Values {
	v.Helper()
	return leaving(v.form("/auth/provider/"+provider+"/start", fields).must(200))
}

// leaving returns the authorization request to which a document redirects.
func leaving(a *answer) url.Values {
	a.Helper()
	found := refreshIn.FindStringSubmatch(a.body)
	if found == nil {
		a.Fatalf("the browser is not sent away: %s", a.body)
	}
	u, err := url.Parse(html.UnescapeString(found[1]))
	if err != nil {
		a.Fatal(err)
	}
	return u.Query()
}

// approve is what the user does at the provider. It returns the callback.
func (p *idp) approve(request url.Values) url.Values {
	p.mu.Lock()
	defer p.mu.Unlock()
	code := "code-" + strconv.FormatInt(serial.Add(1), 10)
	p.codes[code] = request
	return url.Values{"code": {code}, "state": {request.Get("state")}, "iss": {p.server.URL}}
}

// callback requests the callback of a provider.
func (v *visitor) callback(provider string, values url.Values) *answer {
	v.Helper()
	return v.get("/auth/provider/" + provider + "/callback?" + values.Encode())
}

// continueWith signs in with the provider and returns where the browser ends.
func (v *visitor) continueWith(p *idp) string {
	v.Helper()
	return v.callback("acme", p.approve(v.leave("acme", nil))).must(303).header.Get("Location")
}
