package issuer_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"portico/internal/apptest"
	"portico/internal/flow"
)

// A client that others wrote signs a user in, asks who it is, and refreshes.
func TestCodeFlow_GoOIDC(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signedIn("mara@example.org")
	ctx := oidc.InsecureIssuerURLContext(t.Context(), s.Origin)
	provider, err := oidc.NewProvider(ctx, s.Origin)
	if err != nil {
		t.Fatal(err)
	}
	for _, style := range []oauth2.AuthStyle{oauth2.AuthStyleInHeader, oauth2.AuthStyleInParams} {
		endpoint := provider.Endpoint()
		endpoint.AuthStyle = style
		rp := oauth2.Config{ClientID: "rp", ClientSecret: rpSecret, Endpoint: endpoint, RedirectURL: rpBack, Scopes: []string{"openid", "email"}}
		v := oauth2.GenerateVerifier()
		got := back(t, b.Open(strings.TrimPrefix(rp.AuthCodeURL("st", oidc.Nonce("no"), oauth2.S256ChallengeOption(v)), s.Origin)))
		if got.Get("state") != "st" || got.Get("iss") != s.Origin {
			t.Errorf("the answer is %v", got)
		}
		tokens, err := rp.Exchange(ctx, got.Get("code"), oauth2.VerifierOption(v))
		if err != nil {
			t.Fatal(err)
		}
		check := provider.Verifier(&oidc.Config{ClientID: "rp", Now: s.Clock.Now})
		id, err := check.Verify(ctx, tokens.Extra("id_token").(string))
		if err != nil {
			t.Fatal(err)
		}
		var claims map[string]any
		if err := id.Claims(&claims); err != nil {
			t.Fatal(err)
		}
		if id.Nonce != "no" || id.Subject == "" || claims["email"] != nil || claims["auth_time"] != float64(s.Clock.Now().Unix()) || claims["sid"] == nil {
			t.Errorf("the ID token says %v", claims)
		}
		info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(tokens))
		if err != nil || info.Subject != id.Subject || info.Email != "mara@example.org" || !info.EmailVerified {
			t.Errorf("UserInfo says %+v, %v", info, err)
		}
		tokens.Expiry = time.Now().Add(-time.Hour)
		renewed, err := rp.TokenSource(ctx, tokens).Token()
		if err != nil || renewed.AccessToken == tokens.AccessToken || renewed.RefreshToken == tokens.RefreshToken {
			t.Errorf("the refresh gives %+v, %v", renewed, err)
		}
	}
}

// A client that knows RS256 alone gets ID tokens that its library verifies.
func TestCodeFlow_RS256(t *testing.T) {
	t.Parallel()
	s := startFor(t, oldClient)
	b := s.signedIn("mara@example.org")
	ctx := oidc.InsecureIssuerURLContext(t.Context(), s.Origin)
	provider, err := oidc.NewProvider(ctx, s.Origin)
	if err != nil {
		t.Fatal(err)
	}
	got := s.token(redemption(s.code(b, "client_id", "old", "code_challenge", "", "code_challenge_method", "", "nonce", "no"), "client_id", "old", "client_secret", "old "+rpSecret, "code_verifier", ""))
	for algorithm, works := range map[string]bool{oidc.RS256: true, oidc.ES256: false} {
		id, err := provider.Verifier(&oidc.Config{ClientID: "old", Now: s.Clock.Now, SupportedSigningAlgs: []string{algorithm}}).Verify(ctx, got.ID)
		if works != (err == nil) {
			t.Fatalf("%s: %v", algorithm, err)
		}
		var claims struct {
			Email  string   `json:"email"`
			Groups []string `json:"groups"`
			Name   string   `json:"preferred_username"`
		}
		if works && (id.Claims(&claims) != nil || claims.Email != "mara@example.org" || claims.Groups != nil || claims.Name != "") {
			t.Errorf("the ID token says %+v", claims)
		}
	}
}

// A client may ask for EdDSA.
func TestCodeFlow_EdDSA(t *testing.T) {
	t.Parallel()
	s := startFor(t, oldClient)
	b := s.signedIn("mara@example.org")
	ctx := oidc.InsecureIssuerURLContext(t.Context(), s.Origin)
	provider, err := oidc.NewProvider(ctx, s.Origin)
	if err != nil {
		t.Fatal(err)
	}
	got := s.token(redemption(s.code(b, "client_id", "modern"), "client_id", "modern", "client_secret", "modern "+rpSecret))
	for algorithm, works := range map[string]bool{oidc.EdDSA: true, oidc.ES256: false} {
		_, err := provider.Verifier(&oidc.Config{ClientID: "modern", Now: s.Clock.Now, SupportedSigningAlgs: []string{algorithm}}).Verify(ctx, got.ID)
		if works != (err == nil) {
			t.Errorf("%s: %v", algorithm, err)
		}
	}
	if text := s.send("GET", "/.well-known/openid-configuration", "").text; !strings.Contains(text, `"id_token_signing_alg_values_supported":["ES256","RS256","EdDSA"]`) {
		t.Errorf("the metadata is %s", text)
	}
}

// Without a session the browser signs in first, and then returns to the client.
func TestAuthorize_SignsIn(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Person("mara@example.org")
	b := s.Browser()
	p := b.Open(authorize(ask("login_hint", "mara@example.org")))
	if !strings.HasPrefix(p.Next(), "/auth/signin?") {
		t.Fatalf("the answer is %d %s", p.StatusCode, p.Next())
	}
	page := b.Open(p.Next())
	if !strings.Contains(page.Body, `value="mara@example.org"`) {
		t.Error("the sign-in page does not know the address")
	}
	p = b.Send("/auth/signin", url.Values{"email": {"mara@example.org"}, "password": {apptest.Password}, "return_to": {query(t, p.Next()).Get("return_to")}})
	if got := back(t, b.Open(p.Next())); got.Get("code") == "" || got.Get("state") != "s t&<a>" {
		t.Errorf("the client gets %v", got)
	}
}

func query(t *testing.T, target string) url.Values {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query()
}

// prompt and max_age ask for a new sign-in, once.
func TestAuthorize_AsksAgain(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, asked := range [][]string{{"prompt", "login"}, {"max_age", "0"}, {"max_age", "60"}, {"prompt", "login consent"}} {
		address := strings.ReplaceAll(asked[0]+asked[1], " ", "") + "@example.org"
		b := s.signedIn(address)
		s.Clock.Advance(61 * time.Second)
		p := b.Open(authorize(ask(asked...)))
		to := query(t, p.Next())
		if to.Get("again") != "1" {
			t.Fatalf("%v: the answer is %d %s", asked, p.StatusCode, p.Next())
		}
		if again := b.Open(to.Get("return_to")); !strings.HasPrefix(again.Next(), "/auth/signin?") {
			t.Errorf("%v: without a new sign-in the answer is %s", asked, again.Next())
		}
		s.Clock.Advance(time.Second)
		next := b.Send("/auth/signin", url.Values{"email": {address}, "password": {apptest.Password}, "return_to": {to.Get("return_to")}}).Next()
		signedIn := s.Clock.Now().Unix()
		s.Clock.Advance(2 * time.Second)
		got := back(t, b.Open(next))
		if tokens := s.token(redemption(got.Get("code"))); tokens.StatusCode != 200 || !strings.Contains(payload(t, tokens.ID), fmt.Sprintf(`"auth_time":%d,`, signedIn)) {
			t.Errorf("%v: after a new sign-in the client gets %v %s", asked, got, tokens.text)
		}
		if other := b.Open(authorize(ask(append(asked, "state", "another")...)) + "&portico_mark=" + query(t, next).Get("portico_mark")); asked[1] != "60" && !strings.HasPrefix(other.Next(), "/auth/signin?") {
			t.Errorf("%v: another request counts as asked: %s", asked, other.Next())
		}
	}
}

// A request that another browser was given does not make an earlier sign-in count as a new one.
func TestAuthorize_AsksAgainForARequestOfAnother(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signedIn("mara@example.org")
	s.Clock.Advance(21 * time.Second)
	to := query(t, s.Browser().Open(authorize(ask("prompt", "login"))).Next())
	if p := b.Open(to.Get("return_to")); query(t, p.Next()).Get("again") != "1" {
		t.Errorf("the answer is %d %s", p.StatusCode, p.Next())
	}
}

func TestAuthorize_LetsChoose(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signedIn("mara@example.org")
	p := b.Open(authorize(ask("prompt", "select_account")))
	to := query(t, p.Next())
	if to.Has("again") || to.Get("return_to") == "" {
		t.Fatalf("the answer is %d %s", p.StatusCode, p.Next())
	}
	if got := back(t, b.Open(to.Get("return_to"))); got.Get("code") == "" {
		t.Errorf("the client gets %v", got)
	}
}

// prompt=none shows nothing.
func TestAuthorize_None(t *testing.T) {
	t.Parallel()
	s := start(t)
	if got := back(t, s.Browser().Open(authorize(ask("prompt", "none")))); got.Get("error") != "login_required" || got.Get("state") != "s t&<a>" || got.Get("iss") != s.Origin {
		t.Errorf("without a session the client gets %v", got)
	}
	b := s.signedIn("mara@example.org")
	if got := back(t, b.Open(authorize(ask("prompt", "none")))); got.Get("code") == "" {
		t.Errorf("with a session the client gets %v", got)
	}
	s.Clock.Advance(time.Minute)
	if got := back(t, b.Open(authorize(ask("prompt", "none", "max_age", "59")))); got.Get("error") != "login_required" {
		t.Errorf("with an old session the client gets %v", got)
	}
}

// A new sign-in of the same user in the same browser keeps what clients got before.
func TestGrants_SurviveAnotherSignIn(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signedIn("mara@example.org")
	got := s.tokens(b)
	b.SignIn("mara@example.org")
	if info := s.userInfo(got.Access); info.StatusCode != 200 {
		t.Errorf("after the same user: %d", info.StatusCode)
	}
	s.Person("noor@example.org")
	b.SignIn("noor@example.org")
	if info := s.userInfo(got.Access); info.StatusCode != http.StatusUnauthorized {
		t.Errorf("after another user: %d", info.StatusCode)
	}
}

// A grant ends with its session, unless it has offline_access.
func TestGrants_EndWithTheSession(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signedIn("mara@example.org")
	online, offline := s.tokens(b), s.tokens(b, "scope", "openid offline_access")
	b.Send("/auth/signout", nil)
	s.wants("online", s.token(refreshing(online.Refresh)), 400, "invalid_grant")
	if info := s.userInfo(online.Access); info.StatusCode != 401 {
		t.Errorf("UserInfo after signing out: %d", info.StatusCode)
	}
	if got := s.token(refreshing(offline.Refresh)); got.StatusCode != 200 {
		t.Errorf("offline: %d %s", got.StatusCode, got.text)
	}
	s.Clock.Advance(30*24*time.Hour + time.Second)
	s.wants("after 30 days", s.token(refreshing(offline.Refresh)), 400, "invalid_grant")
}

// The claims of UserInfo and the ID token, as clients rely on them.
func TestClaims(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signedIn("mara@example.org")
	got := s.tokens(b, "scope", "openid profile email groups unknown")
	if got.Scope != "openid profile email groups" || got.Left != 600 {
		t.Errorf("scope %q, for %d s", got.Scope, got.Left)
	}
	info := s.userInfo(got.Access)
	if want := `{"email":"mara@example.org","email_verified":true,"groups":[],"preferred_username":"mara@example.org","sub":"` + info.Sub + `"}`; info.text != want {
		t.Errorf("UserInfo is %s, want %s", info.text, want)
	}
	if only := s.userInfo(s.tokens(b, "scope", "openid").Access); only.text != `{"sub":"`+info.Sub+`"}` {
		t.Errorf("UserInfo of openid alone is %s", only.text)
	}
}

// A client that may see the profile learns the address of the picture, and a page
// of the client may show it.
func TestClaims_Picture(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signedIn("mara@example.org")
	found, err := s.Flows.PeekSession(t.Context(), b.Cookie("session"))
	if err != nil {
		t.Fatal(err)
	}
	var given bytes.Buffer
	if err := png.Encode(&given, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	if err := s.Owner.SetPortrait(t.Context(), flow.Caller{}, found, given.Bytes()); err != nil {
		t.Fatal(err)
	}
	head, err := s.Owner.Head(t.Context(), found.User.ID)
	if err != nil {
		t.Fatal(err)
	}
	want := s.Origin + "/auth/picture/" + head.Portrait
	if info := s.userInfo(s.tokens(b, "scope", "openid profile").Access); !strings.Contains(info.text, `"picture":"`+want+`"`) {
		t.Errorf("UserInfo is %s", info.text)
	}
	if info := s.userInfo(s.tokens(b, "scope", "openid email").Access); strings.Contains(info.text, "picture") {
		t.Errorf("without the scope, UserInfo is %s", info.text)
	}
	if got := s.send("GET", "/auth/picture/"+head.Portrait, ""); got.StatusCode != 200 || got.Header.Get("Cross-Origin-Resource-Policy") != "cross-origin" {
		t.Errorf("%d %v", got.StatusCode, got.Header)
	}
}

// Pages of public clients may call the token endpoint, others may not.
func TestCORS(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signedIn("mara@example.org")
	code := s.code(b, "client_id", "spa", "redirect_uri", "https://spa.test/cb")
	form := url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {"https://spa.test/cb"}, "code_verifier": {verifier}, "client_id": {"spa"}}
	got := s.post("/auth/openid/token", form, "Origin", "https://spa.test")
	if got.StatusCode != 200 || got.Header.Get("Access-Control-Allow-Origin") != "https://spa.test" || got.Header.Get("Access-Control-Allow-Credentials") != "" || got.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("a page of the client: %d %v", got.StatusCode, got.Header)
	}
	if no := s.send("GET", "/auth/openid/userinfo", "", "Origin", "https://spa.test", "Authorization", "Bearer x"); no.StatusCode != 401 || no.Header.Get("Access-Control-Expose-Headers") != "WWW-Authenticate" {
		t.Errorf("a page does not see why its token is refused: %d %v", no.StatusCode, no.Header)
	}
	for origin, want := range map[string]string{"https://spa.test": "https://spa.test", "https://rp.test": "", "https://evil.test": "", "null": ""} {
		got := s.send("OPTIONS", "/auth/openid/token", "", "Origin", origin, "Access-Control-Request-Method", "POST")
		if allowed := got.Header.Get("Access-Control-Allow-Origin"); got.StatusCode != 204 || allowed != want {
			t.Errorf("a preflight of %s: %d, allows %q", origin, got.StatusCode, allowed)
		}
	}
	for _, path := range []string{"/.well-known/openid-configuration", "/.well-known/oauth-authorization-server", "/.well-known/jwks.json"} {
		if got := s.send("GET", path, "", "Origin", "https://evil.test"); got.StatusCode != 200 || got.Header.Get("Access-Control-Allow-Origin") != "*" || got.Header.Get("Cross-Origin-Resource-Policy") != "cross-origin" {
			t.Errorf("%s: %d %v", path, got.StatusCode, got.Header)
		}
	}
	// The preflights that libraries send: each asks for headers of its own.
	for path, origin := range map[string]string{
		"/.well-known/openid-configuration": "https://any.test", "/.well-known/oauth-authorization-server": "https://any.test", "/.well-known/jwks.json": "https://any.test",
		"/auth/openid/token": "https://spa.test", "/auth/openid/userinfo": "https://spa.test", "/auth/openid/par": "https://spa.test", "/auth/openid/revoke": "https://spa.test", "/auth/openid/device": "https://spa.test",
	} {
		for _, asked := range []string{"", "authorization", "authorization,content-type,dpop", "x-requested-with", "cache-control,pragma,traceparent,baggage", "mcp-protocol-version"} {
			got := s.send("OPTIONS", path, "", "Origin", origin, "Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", asked)
			allowed := strings.Split(strings.ToLower(got.Header.Get("Access-Control-Allow-Headers")), ", ")
			for _, name := range strings.Split(asked, ",") {
				if name != "" && !slices.Contains(allowed, name) && (name == "authorization" || !slices.Contains(allowed, "*")) {
					t.Errorf("a preflight of %s does not allow %s: %v", path, name, got.Header)
				}
			}
			if from := got.Header.Get("Access-Control-Allow-Origin"); got.StatusCode != 204 || from != "*" && from != origin || got.Header.Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("a preflight of %s: %d %v", path, got.StatusCode, got.Header)
			}
		}
	}
	if got := s.send("GET", "/auth/api/session", "", "Origin", "https://spa.test"); got.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("pages of a client may read the session")
	}
}
