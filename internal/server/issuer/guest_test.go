package issuer_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/config"
)

// published is the site of an app that describes itself.
type published struct {
	*httptest.Server
	id    string
	text  atomic.Pointer[string]
	keys  string
	told  told // at /logout
	loads atomic.Int32
	fails atomic.Int32 // the status of the document and of the keys, 0 for 200
}

// publish starts such a site. Its document has the changes, of which nil removes one.
func publish(t *testing.T, changes map[string]any) *published {
	p := &published{told: newTold()}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/logout" {
			p.told.ServeHTTP(w, r)
			return
		}
		if status := p.fails.Load(); status != 0 {
			w.WriteHeader(int(status))
		}
		if r.URL.Path == "/jwks" {
			_, _ = w.Write([]byte(p.keys))
			return
		}
		p.loads.Add(1)
		_, _ = w.Write([]byte(*p.text.Load()))
	}))
	t.Cleanup(p.Close)
	p.id = p.URL + "/client.json"
	p.says(changes)
	return p
}

func (p *published) says(changes map[string]any) {
	members := map[string]any{
		"client_id": p.id, "client_name": "Your Bank", "token_endpoint_auth_method": "none", "logo_uri": "https://evil.test/logo.png",
		"redirect_uris": []string{"http://127.0.0.1/cb", "https://app.test/cb"},
	}
	for name, value := range changes {
		if members[name] = value; value == nil {
			delete(members, name)
		}
	}
	text, _ := json.Marshal(members)
	words := string(text)
	p.text.Store(&words)
}

func startGuests(t *testing.T, p *published) *site {
	return startFor(t, func(c *config.Config) {
		c.OpenID.ClientDocuments, c.OpenID.ClientOrigins = true, []string{p.URL}
	})
}

func (p *published) asks(changes ...string) []string {
	return append([]string{"client_id", p.id, "redirect_uri", "http://127.0.0.1:7777/cb"}, changes...)
}

// An unknown app signs a user in, refreshes, and is asked about each
// time. The page names the host that serves its document, not the name in it.
func TestGuest_WholeFlow(t *testing.T) {
	t.Parallel()
	p := publish(t, nil)
	s := startGuests(t, p)
	b := s.signedIn("mara@example.org")
	var code string
	for range 2 {
		page := s.asked(b, p.asks("scope", "openid email groups offline_access")...)
		host := strings.TrimPrefix(p.URL, "http://")
		if page.Client.Name != host || page.Client.Unknown != host || page.Client.Host != "127.0.0.1:7777" || page.Client.Asked != "openid email offline_access" {
			t.Fatalf("the page names %+v", page.Client)
		}
		code = back(t, answers(b, page, "allow")).Get("code")
	}
	got := s.token(redemption(code, "client_id", p.id, "client_secret", "", "redirect_uri", "http://127.0.0.1:7777/cb"))
	if got.StatusCode != 200 || got.Scope != "openid email offline_access" || !strings.Contains(payload(t, got.ID), `"aud":"`+p.id+`"`) {
		t.Fatalf("the tokens: %d %s", got.StatusCode, got.text)
	}
	if info := s.userInfo(got.Access); info.StatusCode != 200 || info.Email != "mara@example.org" {
		t.Errorf("UserInfo: %d %s", info.StatusCode, info.text)
	}
	next := s.token(refreshing(got.Refresh, "client_id", p.id, "client_secret", ""))
	if next.StatusCode != 200 {
		t.Errorf("the refresh: %d %s", next.StatusCode, next.text)
	}
	if p.loads.Load() != 1 {
		t.Errorf("the document was loaded %d times", p.loads.Load())
	}
	if got := back(t, b.Open(authorize(ask(p.asks("prompt", "none")...)))); got.Get("error") != "consent_required" {
		t.Errorf("prompt=none: %v", got)
	}

	var apps consentPage
	b.Boot(b.Open("/auth/account/apps"), &apps)
	if len(apps.Account.Apps) != 1 || apps.Account.Apps[0].Name != strings.TrimPrefix(p.URL, "http://") {
		t.Errorf("the account knows %+v", apps.Account.Apps)
	}
	b.Send("/auth/account/apps", url.Values{"account": {apps.Session.ID}, "app": {p.id}})
	s.wants("after its removal", s.token(refreshing(next.Refresh, "client_id", p.id, "client_secret", "")), 400, "invalid_grant")
}

// A client of plain OAuth names no scope.
func TestGuest_NoScope(t *testing.T) {
	t.Parallel()
	p := publish(t, nil)
	s := startGuests(t, p)
	if page := s.asked(s.signedIn("mara@example.org"), p.asks("scope", "")...); page.Client.Asked != "openid" {
		t.Errorf("it asks for %q", page.Client.Asked)
	}
}

// With keys, an assertion proves the client, and nothing else does. Its port on a loopback
// address is free as without keys (RFC 8252 7.3).
func TestGuest_Keys(t *testing.T) {
	t.Parallel()
	p := publish(t, nil)
	p.keys = clientKeys(t)
	s := startGuests(t, p)
	b := s.signedIn("mara@example.org")
	for what, changes := range map[string]map[string]any{
		"an address":   {"token_endpoint_auth_method": "private_key_jwt", "jwks_uri": p.URL + "/jwks"},
		"the document": {"token_endpoint_auth_method": "private_key_jwt", "jwks": json.RawMessage(p.keys)},
	} {
		p.says(changes)
		s.Clock.Advance(6 * time.Minute) // loads the document again
		form := func() url.Values {
			code := back(t, answers(b, s.asked(b, p.asks()...), "allow")).Get("code")
			return redemption(code, "client_id", p.id, "client_secret", "", "redirect_uri", "http://127.0.0.1:7777/cb")
		}
		if got := s.token(s.asserted(form(), p.id)); got.StatusCode != 200 {
			t.Errorf("keys in %s: %d %s", what, got.StatusCode, got.text)
		}
		s.wants("no assertion", s.token(form()), 401, "invalid_client")
		s.wants("an assertion of another client", s.token(s.asserted(form(), "keyed")), 400, "invalid_grant")
	}
}

// usesUp makes Portico load documents for the network of the tests until it loads no more.
func (p *published) usesUp(s *site) {
	for i := range 60 {
		s.send("GET", authorize(ask("client_id", p.URL+"/other"+strconv.Itoa(i))), "")
	}
}

// A limit is no wrong proof: the client learns when it may try again.
func TestGuest_Limited(t *testing.T) {
	t.Parallel()
	p := publish(t, map[string]any{"token_endpoint_auth_method": "private_key_jwt"})
	p.keys = clientKeys(t)
	p.says(map[string]any{"token_endpoint_auth_method": "private_key_jwt", "jwks_uri": p.URL + "/jwks"})
	s := startGuests(t, p)
	b := s.signedIn("mara@example.org")
	code := back(t, answers(b, s.asked(b, p.asks("redirect_uri", "https://app.test/cb")...), "allow")).Get("code")
	p.usesUp(s)
	got := s.token(s.asserted(redemption(code, "redirect_uri", "https://app.test/cb"), p.id))
	if got.StatusCode != 429 || got.Header.Get("Retry-After") == "" || got.Error != "" {
		t.Errorf("%d %s %v", got.StatusCode, got.text, got.Header)
	}
}

// While an app is down, it is not told that it is unknown: it would give its tokens up. An app that has gone is.
func TestGuest_Down(t *testing.T) {
	t.Parallel()
	p := publish(t, nil)
	p.keys = clientKeys(t)
	p.says(map[string]any{"token_endpoint_auth_method": "private_key_jwt", "jwks_uri": p.URL + "/jwks"})
	s := startGuests(t, p)
	b := s.signedIn("mara@example.org")
	code := back(t, answers(b, s.asked(b, p.asks("redirect_uri", "https://app.test/cb")...), "allow")).Get("code")
	redeem := func() reply {
		return s.token(s.asserted(redemption(code, "redirect_uri", "https://app.test/cb"), p.id))
	}
	down := func(what string, got reply) {
		t.Helper()
		if got.StatusCode != 503 || got.Header.Get("Retry-After") == "" || got.Error != "" {
			t.Errorf("%s: %d %s %v", what, got.StatusCode, got.text, got.Header)
		}
	}
	p.fails.Store(503)
	down("the keys", redeem())
	p.fails.Store(404)
	s.wants("no keys", redeem(), 401, "invalid_client")
	p.fails.Store(0)
	got := redeem()
	if got.StatusCode != 200 {
		t.Fatalf("%d %s", got.StatusCode, got.text)
	}
	refresh := func() reply { return s.token(s.asserted(refreshing(got.Refresh), p.id)) }
	s.Clock.Advance(6 * time.Minute)
	p.fails.Store(502)
	down("the document", refresh())
	if page := b.Open(authorize(ask(p.asks()...))); page.StatusCode != 503 || page.Next() != "" {
		t.Errorf("a page: %d %s", page.StatusCode, page.Next())
	}
	p.fails.Store(410)
	s.wants("no document", refresh(), 401, "invalid_client")
	p.fails.Store(0)
	if got := refresh(); got.StatusCode != 200 {
		t.Errorf("up again: %d %s", got.StatusCode, got.text)
	}
}

// An app that promises to prove a key gets no tokens without one. Its pages cannot read an
// answer while its document does not load, and the answer is there all the same.
func TestGuest_Key(t *testing.T) {
	t.Parallel()
	p := publish(t, map[string]any{"dpop_bound_access_tokens": true})
	s := startGuests(t, p)
	b, k := s.signedIn("mara@example.org"), s.holder()
	form := func() url.Values {
		code := back(t, answers(b, s.asked(b, p.asks("redirect_uri", "https://app.test/cb")...), "allow")).Get("code")
		return redemption(code, "client_id", p.id, "client_secret", "", "redirect_uri", "https://app.test/cb")
	}
	s.wants("without a proof", s.token(form()), 400, "invalid_dpop_proof")
	got := k.token(form())
	if got.StatusCode != 200 || got.Type != "DPoP" {
		t.Fatalf("%d %s", got.StatusCode, got.text)
	}
	s.Clock.Advance(6 * time.Minute)
	p.usesUp(s)
	const path = "/auth/openid/userinfo"
	info := s.send("GET", path, "", "Authorization", "DPoP "+got.Access, "DPoP", k.proof("GET", path, got.Access), "Origin", "https://app.test")
	if info.StatusCode != 200 || info.Sub == "" || info.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("%d %s %v", info.StatusCode, info.text, info.Header)
	}
}

// An app that is unknown has an ID token to sign its user out with, and no way back.
func TestGuest_SignOut(t *testing.T) {
	t.Parallel()
	p := publish(t, nil)
	s := startGuests(t, p)
	b := s.signedIn("mara@example.org")
	code := back(t, answers(b, s.asked(b, p.asks()...), "allow")).Get("code")
	hint := s.token(redemption(code, "client_id", p.id, "client_secret", "", "redirect_uri", "http://127.0.0.1:7777/cb")).ID
	stays(t, b, "id_token_hint", hint, "post_logout_redirect_uri", "https://app.test/bye")
	if p := b.Open(logout("id_token_hint", hint)); p.StatusCode != 200 {
		t.Errorf("the question: %d", p.StatusCode)
	}
	leaves(t, b, "/auth/signed-out", "id_token_hint", hint)
}

// A document that Portico keeps may be the keys of an app, not its description: a stranger
// who names their address learns that the client is unknown.
func TestGuest_KeysAsDescription(t *testing.T) {
	t.Parallel()
	p := publish(t, nil)
	p.says(map[string]any{"token_endpoint_auth_method": "private_key_jwt", "jwks_uri": p.URL + "/jwks"})
	p.keys = clientKeys(t)
	s := startGuests(t, p)
	b := s.signedIn("mara@example.org")
	code := back(t, answers(b, s.asked(b, p.asks("redirect_uri", "https://app.test/cb")...), "allow")).Get("code")
	form := redemption(code, "client_id", p.id, "client_secret", "", "redirect_uri", "https://app.test/cb")
	if got := s.token(s.asserted(form, p.id)); got.StatusCode != 200 {
		t.Fatalf("the keys are not loaded: %d %s", got.StatusCode, got.text)
	}
	if got := b.Open(authorize(ask("client_id", p.URL+"/jwks", "redirect_uri", "https://app.test/cb"))); got.StatusCode != 422 {
		t.Errorf("the keys as a client: %d", got.StatusCode)
	}
}

func TestGuest_Discovery(t *testing.T) {
	t.Parallel()
	p := publish(t, nil)
	const member = `"client_id_metadata_document_supported":true`
	if got := startGuests(t, p).send("GET", "/.well-known/oauth-authorization-server", ""); !strings.Contains(got.text, member) {
		t.Errorf("discovery: %s", got.text)
	}
	s := start(t)
	if got := s.send("GET", "/.well-known/openid-configuration", ""); strings.Contains(got.text, member) {
		t.Errorf("discovery without documents: %s", got.text)
	}
	if got := s.signedIn("mara@example.org").Open(authorize(ask(p.asks()...))); got.StatusCode != 422 || p.loads.Load() != 0 {
		t.Errorf("without documents: %d after %d loads", got.StatusCode, p.loads.Load())
	}
}
