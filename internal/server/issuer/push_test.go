package issuer_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/internal/apptest"
)

// push sends a request of rp to Portico, with changes as in ask.
func (s *site) push(changes ...string) reply {
	s.Helper()
	return s.post("/auth/openid/par", change(ask(changes...), "client_secret", rpSecret))
}

// pull is the request of a browser for what a client has pushed.
func pull(clientID, name string) string {
	return authorize(url.Values{"client_id": {clientID}, "request_uri": {name}})
}

func TestPush(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signedIn("mara@example.org")
	got := s.push("nonce", "pushed")
	if got.StatusCode != http.StatusCreated || got.Left != 60 || !strings.HasPrefix(got.Name, "urn:ietf:params:oauth:request_uri:") || got.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%d %s %v", got.StatusCode, got.text, got.Header)
	}
	answer := back(t, b.Open(pull("rp", got.Name)))
	tokens := s.token(redemption(answer.Get("code")))
	if answer.Get("state") != "s t&<a>" || tokens.StatusCode != 200 || !strings.Contains(payload(t, tokens.ID), `"nonce":"pushed"`) {
		t.Errorf("the client gets %v, %s", answer, tokens.text)
	}
	if again := b.Open(pull("rp", got.Name)); again.StatusCode != 422 || again.Next() != "" {
		t.Errorf("a second use: %d %s", again.StatusCode, again.Next())
	}
}

// A wrong request is refused when it is pushed.
func TestPush_Refuses(t *testing.T) {
	t.Parallel()
	s := start(t)
	for what, tt := range map[string]struct {
		changes []string
		status  int
		code    string
	}{
		"an address that is not registered": {[]string{"redirect_uri", rpBack + "/x"}, 400, "invalid_request"},
		"no address":                        {[]string{"redirect_uri", ""}, 400, "invalid_request"},
		"no code challenge":                 {[]string{"code_challenge", "", "code_challenge_method", ""}, 400, "invalid_request"},
		"another response type":             {[]string{"response_type", "token"}, 400, "unsupported_response_type"},
		"a name of another one":             {[]string{"request_uri", "urn:ietf:params:oauth:request_uri:x"}, 400, "invalid_request"},
		"a request object":                  {[]string{"request", "e30.e30."}, 400, "request_not_supported"},
		"a hint of others":                  {[]string{"id_token_hint", "x"}, 400, "invalid_request"},
		"much":                              {[]string{"state", strings.Repeat("s", 9<<10)}, 400, "invalid_request"},
	} {
		s.wants(what, s.push(tt.changes...), tt.status, tt.code)
	}
	s.wants("a public client with a secret", s.post("/auth/openid/par", ask("client_id", "spa", "redirect_uri", "https://spa.test/cb", "client_secret", "x")), 401, "invalid_client")
	s.wants("without a secret", s.post("/auth/openid/par", ask()), 401, "invalid_client")
}

// The time to begin with a request is short. A browser that has begun may take longer,
// on whichever page it is.
func TestPush_Time(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signedIn("mara@example.org")
	late := s.push().Name
	s.Clock.Advance(61 * time.Second)
	if p := b.Open(pull("rp", late)); p.StatusCode != 422 || p.Next() != "" {
		t.Errorf("a late beginning: %d %s", p.StatusCode, p.Next())
	}
	other := s.Browser()
	s.Person("noor@example.org")
	p := other.Open(pull("rp", s.push("login_hint", "noor@example.org").Name))
	to := query(t, p.Next())
	if to.Get("email") != "noor@example.org" {
		t.Fatalf("the browser goes to %d %s", p.StatusCode, p.Next())
	}
	s.Clock.Advance(20 * time.Minute)
	p = other.Send("/auth/signin", url.Values{"email": {"noor@example.org"}, "password": {apptest.Password}, "return_to": {to.Get("return_to")}})
	if got := back(t, other.Open(p.Next())); got.Get("code") == "" {
		t.Errorf("after 20 minutes on the sign-in page the client gets %v", got)
	}
	p = s.Browser().Open(pull("rp", s.push().Name))
	s.Clock.Advance(62 * time.Minute)
	if p := b.Open(query(t, p.Next()).Get("return_to")); p.StatusCode != 422 {
		t.Errorf("after an hour: %d %s", p.StatusCode, p.Next())
	}
	ahead := s.push().Name
	s.Clock.Advance(-time.Hour)
	if p := s.Browser().Open(pull("rp", ahead)); p.StatusCode != 422 {
		t.Errorf("after the clock was set back: %d %s", p.StatusCode, p.Next())
	}
}

// The consent page of a pushed request can be answered after its time to begin.
func TestPush_Consent(t *testing.T) {
	t.Parallel()
	s := startAsking(t, nil)
	b := s.signedIn("mara@example.org")
	var page consentPage
	b.Boot(b.Open(pull("rp", s.push().Name)), &page)
	s.Clock.Advance(2 * time.Minute)
	p := answers(b, page, "allow")
	if got := back(t, p); got.Get("code") == "" {
		t.Errorf("the client gets %v", got)
	}
	b.Boot(b.Open(pull("rp", s.push("scope", "openid groups").Name)), &page)
	s.Clock.Advance(2 * time.Minute)
	p = answers(b, page, "deny")
	if got := back(t, p); got.Get("error") != "access_denied" {
		t.Errorf("the client gets %v", got)
	}
}

// A public client pushes as it asks for tokens: by its client_id, and from its pages (RFC 9126 2).
func TestPush_PublicClient(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signedIn("mara@example.org")
	spa := []string{"client_id", "spa", "redirect_uri", "https://spa.test/cb"}
	got := s.post("/auth/openid/par", ask(spa...), "Origin", "https://spa.test")
	if got.StatusCode != http.StatusCreated || got.Header.Get("Access-Control-Allow-Origin") != "https://spa.test" {
		t.Fatalf("%d %s %v", got.StatusCode, got.text, got.Header)
	}
	if before := s.send("OPTIONS", "/auth/openid/par", "", "Origin", "https://spa.test"); before.Header.Get("Access-Control-Allow-Origin") != "https://spa.test" {
		t.Errorf("a page may not ask: %d %v", before.StatusCode, before.Header)
	}
	answer := back(t, b.Open(pull("spa", got.Name)))
	if tokens := s.token(redemption(answer.Get("code"), append(spa, "client_secret", "")...)); tokens.StatusCode != 200 {
		t.Errorf("the client gets %v, %s", answer, tokens.text)
	}
	s.wants("without a code challenge", s.post("/auth/openid/par", ask(append(spa, "code_challenge", "", "code_challenge_method", "")...)), 400, "invalid_request")
	s.wants("without an id", s.post("/auth/openid/par", ask(append(spa, "client_id", "")...)), 401, "invalid_client")
	for range 300 {
		if got = s.post("/auth/openid/par", ask(spa...)); got.StatusCode != http.StatusCreated {
			break
		}
	}
	if got.StatusCode != http.StatusTooManyRequests || got.Header.Get("Retry-After") == "" {
		t.Errorf("after 300 requests of one network: %d %s", got.StatusCode, got.text)
	}
	if got := s.push(); got.StatusCode != http.StatusCreated {
		t.Errorf("a client with a secret in the same network: %d %s", got.StatusCode, got.text)
	}
}
