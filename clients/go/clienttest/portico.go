package clienttest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	client "portico.internal/clients/go"
)

// URL is the public URL of every stand-in.
const URL = "https://portico.test"

// tokenLife is the validity of a token, the same as Portico's.
const tokenLife = 5 * time.Minute

const keysPath = "/.well-known/jwks.json"

// cookieName is the name of the session cookie under https.
const cookieName = "__Host-portico-session"

// Portico is the stand-in. It is safe for concurrent use.
type Portico struct {
	t testing.TB

	mu       sync.Mutex
	keys     []jose.JSONWebKey // the last one signs
	made     int               // keys
	signedIn int
	down     bool
	fetches  int
	sessions map[string]client.Identity // by the value of the cookie
}

// New returns a stand-in with one key and no signed-in user.
func New(t testing.TB) *Portico {
	p := &Portico{t: t, sessions: map[string]client.Identity{}}
	p.Rotate()
	return p
}

// Client returns a client of the stand-in.
func (p *Portico) Client(o client.Options) *client.Client {
	p.t.Helper()
	o.Transport = p
	c, err := client.New(URL, o)
	if err != nil {
		p.t.Fatal(err)
	}
	return c
}

// SignIn adds the header of the gateway and the cookie of the browser to a
// user's request, for the app of the default audience.
func (p *Portico) SignIn(r *http.Request, who client.Identity) {
	p.t.Helper()
	r.Header.Set(client.TokenHeader, p.Token(who, nil))
	p.mu.Lock()
	defer p.mu.Unlock()
	value := "session-" + strconv.Itoa(p.signedIn)
	p.signedIn++
	p.sessions[value] = who
	r.AddCookie(&http.Cookie{Name: cookieName, Value: value})
}

// Token returns a token about a user, with some claims replaced. Nil removes a
// claim. For an audience other than client.DefaultAudience, replace "aud".
func (p *Portico) Token(who client.Identity, replaced map[string]any) string {
	p.t.Helper()
	now := time.Now()
	claims := map[string]any{
		"iss": URL, "aud": client.DefaultAudience, "sub": who.ID, "sid": who.SessionID,
		"email": who.Email, "email_verified": true, "name": who.Name, "roles": who.Roles, "amr": who.Methods,
		"auth_time": who.AuthenticatedAt.Unix(), "iat": now.Unix(), "exp": now.Add(tokenLife).Unix(),
	}
	if who.AuthenticatedAt.IsZero() {
		claims["auth_time"] = now.Unix()
	}
	for name, value := range replaced {
		claims[name] = value
		if value == nil {
			delete(claims, name)
		}
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		p.t.Fatal(err)
	}
	p.mu.Lock()
	key := p.keys[len(p.keys)-1]
	p.mu.Unlock()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key}, (&jose.SignerOptions{}).WithType("JWT"))
	if err != nil {
		p.t.Fatal(err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		p.t.Fatal(err)
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		p.t.Fatal(err)
	}
	return token
}

// Rotate signs with a new key. The earlier keys stay published.
func (p *Portico) Rotate() {
	p.t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		p.t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.made++
	p.keys = append(p.keys, jose.JSONWebKey{Key: private, KeyID: "key-" + strconv.Itoa(p.made), Algorithm: string(jose.ES256), Use: "sig"})
}

// Revoke signs with a new key and publishes only that one.
func (p *Portico) Revoke() {
	p.t.Helper()
	p.Rotate()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keys = p.keys[len(p.keys)-1:]
}

// SignOut ends all sessions. Tokens that were made before stay valid until they
// expire.
func (p *Portico) SignOut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.sessions)
}

// SetDown makes the stand-in answer every request with 503, or makes it work
// again.
func (p *Portico) SetDown(down bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = down
}

// Fetches returns the number of requests for the keys.
func (p *Portico) Fetches() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fetches
}

// RoundTrip makes the stand-in the transport of a client.
func (p *Portico) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w.Result(), nil
}

// ServeHTTP answers as Portico does. An app in another process can use it
// through an httptest.Server whose URL is the client's address.
func (p *Portico) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.URL.Path == keysPath {
		p.fetches++
	}
	switch {
	case p.down:
		w.WriteHeader(http.StatusServiceUnavailable)
	case r.URL.Path == keysPath:
		set := jose.JSONWebKeySet{}
		for _, k := range p.keys {
			set.Keys = append(set.Keys, k.Public())
		}
		answer(w, http.StatusOK, set)
	case r.URL.Path == "/auth/api/session":
		p.session(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (p *Portico) session(w http.ResponseWriter, r *http.Request) {
	var who client.Identity
	cookie, err := r.Cookie(cookieName)
	ok := err == nil
	if ok {
		who, ok = p.sessions[cookie.Value]
	}
	if !ok {
		answer(w, http.StatusUnauthorized, map[string]any{"code": "session.required"})
		return
	}
	answer(w, http.StatusOK, map[string]any{
		"user":    map[string]any{"id": who.ID, "email": who.Email, "name": who.Name, "roles": who.Roles},
		"session": map[string]any{"id": who.SessionID, "authenticated_at": who.AuthenticatedAt, "methods": who.Methods},
	})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // fails only when the client has gone
}
