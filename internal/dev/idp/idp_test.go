package idp_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"portico/internal/clock"
	"portico/internal/dev/idp"
)

// A client library of another project can sign in.
func TestForeignClientSignsIn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	provider, err := oidc.NewProvider(t.Context(), b.issuer)
	if err != nil {
		t.Fatal(err)
	}
	config := oauth2.Config{
		ClientID: client, ClientSecret: password, RedirectURL: redirect, Endpoint: provider.Endpoint(),
		Scopes: []string{oidc.ScopeOpenID, "email", "profile"},
	}
	config.Endpoint.AuthStyle = oauth2.AuthStyleInHeader
	target := config.AuthCodeURL("the state", oidc.Nonce("the nonce"), oauth2.S256ChallengeOption(verifier))
	_, query, _ := strings.Cut(target, "?")
	callback := b.choose(query, url.Values{"choice": {"typed"}, "name": {"Zoë <b>"}, "email": {"zoe@x.test"}, "verified": {"yes"}})
	if callback.Get("state") != "the state" || callback.Get("iss") != b.issuer {
		t.Errorf("got the callback %v", callback)
	}
	token, err := config.Exchange(t.Context(), callback.Get("code"), oauth2.VerifierOption(verifier))
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := provider.Verifier(&oidc.Config{ClientID: client}).Verify(t.Context(), raw)
	if err != nil {
		t.Fatal(err)
	}
	if err := id.VerifyAccessToken(token.AccessToken); err != nil || id.Nonce != "the nonce" || id.IssuedAt.Unix() != b.clock.Now().Unix() {
		t.Errorf("got %+v, %v", id, err)
	}
	info, err := provider.UserInfo(t.Context(), oauth2.StaticTokenSource(token))
	if err != nil || info.Subject != id.Subject || info.Email != "zoe@x.test" || !info.EmailVerified {
		t.Errorf("got %+v, %v", info, err)
	}
}

// The page at the printed address says what it is.
func TestHome(t *testing.T) {
	t.Parallel()
	b := setup(t)
	status, header, body := b.get(b.issuer + "/")
	if status != http.StatusOK || !strings.HasPrefix(header.Get("Content-Type"), "text/html") ||
		!strings.Contains(header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("got %d %v", status, header)
	}
	for _, want := range []string{"stand-in for an identity provider", `href="http://127.0.0.1:8080/auth/signin"`, `href="` + b.issuer + `/.well-known/openid-configuration"`} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if !strings.Contains(body, "<title>"+idp.Name+"</title>") {
		t.Errorf("the page has another name: %s", body)
	}
	if status, _, _ := b.get(b.issuer + "/favicon.ico"); status != http.StatusNoContent {
		t.Errorf("the icon that browsers ask for: %d", status)
	}
	if status, _, _ := b.get(b.issuer + "/nothing"); status != http.StatusNotFound {
		t.Errorf("got %d where nothing is", status)
	}
}

func TestAuthorizationRequest(t *testing.T) {
	t.Parallel()
	set := func(name, value string) func(url.Values) { return func(q url.Values) { q.Set(name, value) } }
	cases := []struct {
		name string
		edit func(url.Values)
		code string // error code that the client gets; "" if nothing is sent to the client
	}{
		{"another client", set("client_id", "other"), ""},
		{"no client", func(q url.Values) { q.Del("client_id") }, ""},
		{"another address", set("redirect_uri", "http://127.0.0.1:8080/evil"), ""},
		{"a longer address", set("redirect_uri", redirect+"/x"), ""},
		{"an address with a query", set("redirect_uri", redirect+"?x=1"), ""},
		{"no address", func(q url.Values) { q.Del("redirect_uri") }, ""},
		{"two addresses", func(q url.Values) { q.Add("redirect_uri", "https://evil.test/") }, ""},
		{"two states", func(q url.Values) { q.Add("state", "x") }, ""},
		{"implicit", set("response_type", "token"), "unsupported_response_type"},
		{"no scope openid", set("scope", "email"), "invalid_scope"},
		{"no PKCE", func(q url.Values) { q.Del("code_challenge"); q.Del("code_challenge_method") }, "invalid_request"},
		{"PKCE in the clear", set("code_challenge_method", "plain"), "invalid_request"},
		{"short challenge", set("code_challenge", "x"), "invalid_request"},
		{"form_post", set("response_mode", "form_post"), "invalid_request"},
		{"request object", set("request", "x"), "request_not_supported"},
		{"request by address", set("request_uri", "https://evil.test/"), "request_not_supported"},
		{"without a page", set("prompt", "none"), "login_required"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			q := request()
			c.edit(q)
			asked, header1, page := b.get(b.issuer + "/authorize?" + q.Encode())
			decided, header2, _ := b.post("/authorize", url.Values{"request": {q.Encode()}, "choice": {"sample-ada"}})
			if c.code == "" && !strings.Contains(page, "/auth/signin\"") {
				t.Errorf("the page does not lead on: %s", page)
			}
			for status, location := range map[int]string{asked: header1.Get("Location"), decided: header2.Get("Location")} {
				if c.code == "" && (status != http.StatusBadRequest || location != "") {
					t.Errorf("got %d to %q", status, location)
				}
				u, _ := url.Parse(location)
				if got := u.Query(); c.code != "" && (got.Get("error") != c.code || got.Get("state") != "the state" || got.Get("iss") != b.issuer || got.Has("code")) {
					t.Errorf("got %d to %q", status, location)
				}
			}
		})
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got := b.choose(request().Encode(), url.Values{"choice": {"cancel"}})
	if got.Get("error") != "access_denied" || got.Get("state") != "the state" || got.Get("iss") != b.issuer || got.Has("code") {
		t.Errorf("got %v", got)
	}
}

func TestTokenRequest(t *testing.T) {
	t.Parallel()
	set := func(name, value string) func(*bench, url.Values) {
		return func(_ *bench, f url.Values) { f.Set(name, value) }
	}
	cases := []struct {
		name   string
		edit   func(*bench, url.Values)
		status int
		code   string
	}{
		{"as it should be", func(*bench, url.Values) {}, 200, ""},
		{"just in time", func(b *bench, _ url.Values) { b.clock.Advance(59 * time.Second) }, 200, ""},
		{"too late", func(b *bench, _ url.Values) { b.clock.Advance(60 * time.Second) }, 400, "invalid_grant"},
		{"another code", set("code", "x"), 400, "invalid_grant"},
		{"no code", func(_ *bench, f url.Values) { f.Del("code") }, 400, "invalid_grant"},
		{"another verifier", set("code_verifier", verifier+"x"), 400, "invalid_grant"},
		{"no verifier", func(_ *bench, f url.Values) { f.Del("code_verifier") }, 400, "invalid_grant"},
		{"the challenge for a verifier", set("code_verifier", oauth2.S256ChallengeFromVerifier(verifier)), 400, "invalid_grant"},
		{"another address", set("redirect_uri", redirect+"/"), 400, "invalid_grant"},
		{"no address", func(_ *bench, f url.Values) { f.Del("redirect_uri") }, 400, "invalid_grant"},
		{"another grant", set("grant_type", "password"), 400, "unsupported_grant_type"},
		{"another client", set("client_id", "other"), 401, "invalid_client"},
		{"another secret", set("client_secret", "guess"), 401, "invalid_client"},
		{"no secret", func(_ *bench, f url.Values) { f.Del("client_secret") }, 401, "invalid_client"},
		{"code twice", func(_ *bench, f url.Values) { f.Add("code", "x") }, 400, "invalid_request"},
		{"too large", set("x", strings.Repeat("x", 65<<10)), 400, "invalid_request"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			form := redemption(b.code())
			c.edit(b, form)
			status, got := b.redeem(form)
			if code, _ := got["error"].(string); status != c.status || code != c.code {
				t.Errorf("got %d %v", status, got)
			}
		})
	}
}

// A code works for one attempt, even if the attempt fails or many run at once.
func TestCodeWorksOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	code := b.code()
	wrong := redemption(code)
	wrong.Set("code_verifier", "guess")
	b.redeem(wrong)
	if status, got := b.redeem(redemption(code)); status != http.StatusBadRequest {
		t.Errorf("after a wrong verifier: got %d %v", status, got)
	}
	for range 20 {
		code := b.code()
		var won atomic.Int64
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if status, _ := b.redeem(redemption(code)); status == http.StatusOK {
					won.Add(1)
				}
			})
		}
		wg.Wait()
		if won.Load() != 1 {
			t.Fatalf("%d of 8 redemptions of one code worked", won.Load())
		}
	}
}

func TestUserInfo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := request()
	q.Set("scope", "openid")
	_, answer := b.redeem(redemption(b.choose(q.Encode(), url.Values{"choice": {"sample-ada"}}).Get("code")))
	access, _ := answer["access_token"].(string)
	if status, body := b.userinfo("Bearer " + access); status != http.StatusOK || body != `{"sub":"sample-ada"}` {
		t.Errorf("without the scopes: got %d %s", status, body)
	}
	for _, bad := range []string{"", "Bearer ", "Bearer x", access + "x"} {
		if status, _ := b.userinfo(bad); status != http.StatusUnauthorized {
			t.Errorf("%q: got %d", bad, status)
		}
	}
	b.clock.Advance(5 * time.Minute)
	if status, _ := b.userinfo("Bearer " + access); status != http.StatusUnauthorized {
		t.Errorf("after five minutes: got %d", status)
	}
}

func TestPage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q := request()
	q.Set("state", `"><script>alert(1)</script>`)
	status, header, body := b.get(b.issuer + "/authorize?" + q.Encode())
	if status != http.StatusOK || strings.Contains(body, "<script") || header.Get("Cache-Control") != "no-store" {
		t.Errorf("got %d %v %s", status, header, body)
	}
	csp := header.Get("Content-Security-Policy")
	if !strings.Contains(csp, "default-src 'none'") || !strings.Contains(csp, "form-action 'self' http://127.0.0.1:8080;") {
		t.Errorf("got the policy %q", csp)
	}
	if status, _, body := b.post("/authorize", url.Values{"request": {request().Encode()}, "choice": {"typed"}, "name": {" "}}); status != http.StatusUnprocessableEntity || !strings.Contains(body, "Type a name") {
		t.Errorf("nothing typed: got %d %s", status, body)
	}
	if status, header, _ := b.get(b.issuer + "/style.css"); status != http.StatusOK || header.Get("Content-Type") != "text/css; charset=utf-8" {
		t.Errorf("the style: got %d %v", status, header)
	}
}

func TestOnlyUnderItsOwnName(t *testing.T) {
	t.Parallel()
	b := setup(t)
	req, err := http.NewRequest(http.MethodGet, b.issuer+"/.well-known/openid-configuration", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = "rebound.evil.test"
	if status, _, _ := b.send(req); status != http.StatusMisdirectedRequest {
		t.Errorf("got %d", status)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	good := idp.Config{Issuer: "http://127.0.0.1:9001", ClientID: client, ClientSecret: password, RedirectURI: redirect, Clock: clock.System{}}
	if _, err := idp.New(good); err != nil {
		t.Fatal(err)
	}
	for _, issuer := range []string{
		"", "https://id.example.com", "http://id.example.com", "http://10.0.0.1", "http://0.0.0.0:9001", "http://127.0.0.1:9001/",
		"http://127.0.0.1:9001/x", "http://a@127.0.0.1:9001", "http://127.0.0.1.evil.test", "https://127.0.0.1:9001",
	} {
		bad := good
		bad.Issuer = issuer
		if _, err := idp.New(bad); err == nil {
			t.Errorf("%q: want a refusal", issuer)
		}
	}
	for _, edit := range []func(*idp.Config){
		func(c *idp.Config) { c.ClientID = "" }, func(c *idp.Config) { c.ClientSecret = "" }, func(c *idp.Config) { c.RedirectURI = "" },
	} {
		bad := good
		edit(&bad)
		if _, err := idp.New(bad); err == nil {
			t.Errorf("%+v: want a refusal", bad)
		}
	}
}
