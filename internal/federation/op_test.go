package federation

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"portico/internal/clock"
	"portico/internal/egress"
	"portico/internal/fault"
	"portico/internal/openid/openidtest"
)

const (
	testClient = "the client"
	testSecret = "s:ecret/+.with.dots" // as a signed token has them
	flowID     = "0123456789abcdefghjkmnpqrs"
)

// op is an OpenID provider that answers as a test wants. It checks requests as
// strictly as a real provider.
type op struct {
	t   *testing.T
	srv *httptest.Server
	now func() time.Time

	mu       sync.Mutex
	members  map[string]string           // of the discovery document: name to JSON
	claims   map[string]string           // of the ID token: name to JSON, "" leaves it out
	tail     string                      // more JSON at the end of the claims
	profile  string                      // the UserInfo answer
	sign     func(payload string) string // makes the ID token
	keys     []jose.JSONWebKey           // published
	handlers map[string]http.HandlerFunc // instead of the provider's own, by path
	codes    map[string]url.Values       // of the authorization request
	hits     map[string]int
	form     url.Values // of the last token request
	issues   int

	expect      map[string]string        // of the authorization request; "": absent
	isClient    func(*http.Request) bool // at the token endpoint
	refusesPKCE bool
}

func newOP(t *testing.T, now func() time.Time) *op {
	o := &op{
		t: t, now: now, handlers: map[string]http.HandlerFunc{}, codes: map[string]url.Values{}, hits: map[string]int{},
	}
	o.srv = httptest.NewServer(o)
	t.Cleanup(o.srv.Close)
	key := newKey(t, "k1")
	o.sign, o.keys = signES256(t, key), []jose.JSONWebKey{key.Public()}
	o.members = map[string]string{
		"issuer": quote(o.srv.URL), "authorization_endpoint": quote(o.srv.URL + "/authorize"),
		"token_endpoint": quote(o.srv.URL + "/token"), "userinfo_endpoint": quote(o.srv.URL + "/userinfo"),
		"jwks_uri":                              quote(o.srv.URL + "/keys"),
		"id_token_signing_alg_values_supported": `["RS256","ES256","none","HS256"]`,
	}
	o.claims = map[string]string{
		"iss": quote(o.srv.URL), "sub": `"subject-1"`, "aud": quote(testClient), "email": `"ada@x.test"`,
		"email_verified": "true", "name": `"Ada"`,
	}
	o.expect = map[string]string{
		"response_type": "code", "client_id": testClient, "code_challenge_method": "S256", "scope": "openid email profile",
	}
	o.isClient = func(r *http.Request) bool {
		id, secret, _ := r.BasicAuth()
		return id == url.QueryEscape(testClient) && secret == url.QueryEscape(testSecret)
	}
	o.profile = `{"sub":"subject-1","email":"info@x.test","email_verified":true,"name":"Info"}`
	return o
}

func (o *op) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	o.hits[r.URL.Path]++
	own := map[string]http.HandlerFunc{
		"/.well-known/openid-configuration": o.discovery, "/token": o.token, "/keys": o.published, "/userinfo": o.userinfo,
	}
	h := own[r.URL.Path]
	if other := o.handlers[r.URL.Path]; other != nil {
		h = other
	}
	o.mu.Unlock()
	if r.Header.Get("Accept") != "application/json" {
		o.t.Errorf("%s is asked with Accept %q", r.URL.Path, r.Header.Get("Accept"))
	}
	if h == nil {
		http.NotFound(w, r)
		return
	}
	h(w, r)
}

func answerJSON(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
}

func (o *op) discovery(w http.ResponseWriter, _ *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	answerJSON(w, http.StatusOK, jsonObject(o.members, ""))
}

func (o *op) published(w http.ResponseWriter, _ *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	b, _ := json.Marshal(jose.JSONWebKeySet{Keys: o.keys})
	answerJSON(w, http.StatusOK, string(b))
}

func (o *op) userinfo(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if r.Header.Get("Authorization") != "Bearer the-access-token" {
		answerJSON(w, http.StatusUnauthorized, `{}`)
		return
	}
	answerJSON(w, http.StatusOK, o.profile)
}

// token redeems a code once, for the right client, address and verifier.
func (o *op) token(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	_ = r.ParseForm()
	o.form = r.PostForm
	if !o.isClient(r) {
		answerJSON(w, http.StatusUnauthorized, `{"error":"invalid_client"}`)
		return
	}
	request, ok := o.codes[r.PostForm.Get("code")]
	delete(o.codes, r.PostForm.Get("code"))
	if !ok || r.PostForm.Get("redirect_uri") != request.Get("redirect_uri") || r.PostForm.Get("grant_type") != "authorization_code" ||
		!o.proves(r.PostForm.Get("code_verifier"), request.Get("code_challenge")) {
		answerJSON(w, http.StatusBadRequest, `{"error":"invalid_grant"}`)
		return
	}
	claims := map[string]string{
		"nonce": quote(request.Get("nonce")), "iat": fmt.Sprint(o.now().Unix()), "exp": fmt.Sprint(o.now().Unix() + 300),
	}
	maps.Copy(claims, o.claims)
	answerJSON(w, http.StatusOK, fmt.Sprintf(`{"access_token":"the-access-token","token_type":"bearer","expires_in":60,"id_token":%s}`,
		quote(o.sign(jsonObject(claims, o.tail)))))
}

// proves checks PKCE; a provider that refuses it wants to see nothing of it.
func (o *op) proves(verifier, challenge string) bool {
	if o.refusesPKCE {
		return verifier == "" && challenge == ""
	}
	digest := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(digest[:]) == challenge
}

// authorize is what the person does in the browser: it returns the callback.
func (o *op) authorize(target string) url.Values {
	o.t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		o.t.Fatal(err)
	}
	q := u.Query()
	for name, want := range o.expect {
		if q.Get(name) != want {
			o.t.Errorf("the request has %s %q, want %q", name, q.Get(name), want)
		}
	}
	if !o.refusesPKCE && len(q.Get("code_challenge")) != 43 {
		o.t.Errorf("the request has the code_challenge %q", q.Get("code_challenge"))
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.issues++
	code := fmt.Sprintf("code-%d", o.issues)
	o.codes[code] = q
	return url.Values{"code": {code}, "state": {q.Get("state")}}
}

// hit returns how often a path was asked for.
func (o *op) hit(path string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.hits[path]
}

// asked checks how often a path was asked for.
func (b *bench) asked(path string, want int) {
	b.t.Helper()
	if n := b.op.hit(path); n != want {
		b.t.Errorf("%s was asked for %d times, want %d", path, n, want)
	}
}

// set changes the provider while it may be in use.
func (o *op) set(change func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	change()
}

func jsonObject(members map[string]string, tail string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if members[name] != "" {
			parts = append(parts, quote(name)+":"+members[name])
		}
	}
	return "{" + strings.Join(parts, ",") + tail + "}"
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func newKey(t *testing.T, kid string) *jose.JSONWebKey {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return &jose.JSONWebKey{Key: k, KeyID: kid, Algorithm: "ES256", Use: "sig"}
}

func signES256(t *testing.T, key *jose.JSONWebKey) func(string) string {
	return signWith(t, jose.ES256, key, map[string]any{"typ": "JWT"})
}

func signWith(t *testing.T, alg jose.SignatureAlgorithm, key any, header map[string]any) func(string) string {
	return func(payload string) string { return openidtest.Sign(t, alg, key, payload, header) }
}

// bench is a service with one provider, "acme", at an op of its own.
type bench struct {
	t     *testing.T
	s     *Service
	op    *op
	clock *clock.Manual
}

func setup(t *testing.T, edit ...func(*ProviderConfig)) *bench {
	t.Helper()
	b := &bench{t: t, clock: clock.NewManual(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))}
	b.op = newOP(t, b.clock.Now)
	trust := true
	pc := ProviderConfig{ID: "acme", Name: "Acme", Issuer: b.op.srv.URL, ClientID: testClient, ClientSecret: testSecret, TrustEmail: &trust}
	for _, e := range edit {
		e(&pc)
	}
	b.s = newTestService(t, b.clock, presets(), []string{b.op.srv.URL}, pc)
	return b
}

func newTestService(t *testing.T, c clock.Clock, table map[string]preset, allow []string, list ...ProviderConfig) *Service {
	t.Helper()
	client, err := egress.New(egress.Config{Allow: allow})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.HTTP().CloseIdleConnections)
	s, err := newService(Config{Providers: list, Client: client, Clock: c, RedirectURL: callbackURL}, table)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func callbackURL(id string) string { return "https://portico.test/auth/provider/" + id + "/callback" }

func (b *bench) begin() Begun {
	b.t.Helper()
	begun, err := b.s.Begin(b.t.Context(), "acme", flowID)
	if err != nil {
		b.t.Fatal(err)
	}
	return begun
}

// signIn goes the whole way.
func (b *bench) signIn() (Identity, error) {
	b.t.Helper()
	begun := b.begin()
	return b.s.Finish(b.t.Context(), "acme", begun.Pending, b.op.authorize(begun.URL))
}

// want checks that err is the fault with the code, about the provider, and that its cause
// holds the words: a refusal for another reason does not count.
func want(t *testing.T, err error, code, words string) *fault.Error {
	t.Helper()
	f := fault.From(err)
	if f == nil {
		t.Errorf("got no error, want %s", code)
		return nil
	}
	if f.Code != code || !strings.Contains(f.Error(), words) {
		t.Errorf("got %v, want %s because of %q", err, code, words)
	}
	if code != CodeUnknown && f.Params["provider"] == "" {
		t.Errorf("%v lacks the param provider", err)
	}
	return f
}
