package idp_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"portico/internal/clock"
	"portico/internal/dev/idp"
)

const (
	client   = "portico"
	password = "dev:secret"
	redirect = "http://127.0.0.1:8080/auth/provider/sample/callback"
	verifier = "0123456789012345678901234567890123456789abc"
)

// bench is a provider on a real listener, and a browser that stops before the
// redirect to the client.
type bench struct {
	t         *testing.T
	clock     *clock.Manual
	issuer    string
	provider  *idp.Provider
	transport *http.Transport // the shared one loses connections when another test's server closes
}

func setup(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, clock: clock.NewManual(time.Now()), transport: &http.Transport{}}
	srv := httptest.NewUnstartedServer(nil)
	b.issuer = "http://" + srv.Listener.Addr().String()
	provider, err := idp.New(idp.Config{Issuer: b.issuer, ClientID: client, ClientSecret: password, RedirectURI: redirect, Clock: b.clock})
	if err != nil {
		t.Fatal(err)
	}
	b.provider, srv.Config.Handler = provider, provider
	srv.Start()
	t.Cleanup(srv.Close)
	t.Cleanup(b.transport.CloseIdleConnections)
	return b
}

// request returns a valid authorization request.
func request() url.Values {
	return url.Values{
		"response_type": {"code"}, "client_id": {client}, "redirect_uri": {redirect}, "scope": {"openid email profile"},
		"state": {"the state"}, "nonce": {"the nonce"}, "code_challenge_method": {"S256"},
		"code_challenge": {oauth2.S256ChallengeFromVerifier(verifier)},
	}
}

// send sends one request and does not follow redirects.
func (b *bench) send(req *http.Request) (int, http.Header, string) {
	b.t.Helper()
	resp, err := b.transport.RoundTrip(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(body)
}

func (b *bench) get(target string) (int, http.Header, string) {
	b.t.Helper()
	req, err := http.NewRequest(http.MethodGet, target, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.send(req)
}

func (b *bench) post(path string, form url.Values) (int, http.Header, string) {
	b.t.Helper()
	req, err := http.NewRequest(http.MethodPost, b.issuer+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return b.send(req)
}

// choose submits the sign-in page and returns the parameters of the callback.
func (b *bench) choose(query string, form url.Values) url.Values {
	b.t.Helper()
	if status, _, body := b.get(b.issuer + "/authorize?" + query); status != http.StatusOK || !strings.Contains(body, "Choose an account") {
		b.t.Fatalf("the page: got %d %s", status, body)
	}
	form.Set("request", query)
	status, header, body := b.post("/authorize", form)
	target, found := strings.CutPrefix(header.Get("Location"), redirect+"?")
	if status != http.StatusSeeOther || !found {
		b.t.Fatalf("got %d to %q: %s", status, header.Get("Location"), body)
	}
	q, err := url.ParseQuery(target)
	if err != nil {
		b.t.Fatal(err)
	}
	return q
}

// code returns a new code for Ada.
func (b *bench) code() string {
	b.t.Helper()
	return b.choose(request().Encode(), url.Values{"choice": {"sample-ada"}}).Get("code")
}

// redemption returns a valid token request.
func redemption(code string) url.Values {
	return url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {redirect}, "code_verifier": {verifier},
		"client_id": {client}, "client_secret": {password},
	}
}

func (b *bench) redeem(form url.Values) (int, map[string]any) {
	b.t.Helper()
	status, _, body := b.post("/token", form)
	var answer map[string]any
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		b.t.Fatalf("got %d %q", status, body)
	}
	return status, answer
}
