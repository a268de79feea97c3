package apps

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/zitadel/oidc/v3/pkg/client/rp"
	zhttp "github.com/zitadel/oidc/v3/pkg/http"
	zoidc "github.com/zitadel/oidc/v3/pkg/oidc"
	"golang.org/x/oauth2"
)

const allScopes = `scopes = ["openid", "profile", "email", "offline_access"]`

// kept is what an app has after a sign-in.
type kept struct {
	Subject, Email, Name           string
	Access, Refresh, ID, UserEmail string
}

// app serves the handlers of a library. Its callback responds with kept as JSON.
func app(t *testing.T, id string) (*http.ServeMux, client) {
	t.Helper()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	mux.HandleFunc("/bye", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "signed out of the app") })
	return mux, client{ID: id, Secret: "a secret of the app, in the tests", Redirect: server.URL + "/callback", Logout: server.URL + "/bye", More: allScopes}
}

func (v *visitor) signsIn(c client) (k kept) {
	v.Helper()
	text := v.sees(c.Redirect[:len(c.Redirect)-len("/callback")]+"/login", address)
	if err := json.Unmarshal([]byte(text), &k); err != nil {
		v.Fatalf("%v: %s", err, text)
	}
	if k.Subject == "" || k.Email != address || k.Name != name || k.UserEmail != address {
		v.Errorf("the app knows %+v", k)
	}
	return k
}

// signsOut follows the URL of a sign-out with the state state-1, and signs in again.
func (v *visitor) signsOut(c client, target string) {
	v.Helper()
	if text, at := v.open(target); text != "signed out of the app" || at != c.Logout+"?state=state-1" {
		v.Errorf("signing out ends at %s: %.300s", at, text)
	}
	if v.signsIn(c); v.signed != 2 {
		v.Errorf("after the sign-out, asked for a password %d times", v.signed)
	}
}

// The library most programs in Go use. A second sign-in asks nothing.
func TestGoOIDC(t *testing.T) {
	t.Parallel()
	mux, c := app(t, "go-oidc")
	p := start(t, c)
	ctx := t.Context()
	provider, err := oidc.NewProvider(ctx, p.origin)
	if err != nil {
		t.Fatal(err)
	}
	cfg := oauth2.Config{ClientID: c.ID, ClientSecret: c.Secret, Endpoint: provider.Endpoint(), RedirectURL: c.Redirect, Scopes: []string{oidc.ScopeOpenID, "email", "profile", "offline_access"}}
	state, nonce, verifier := rand.Text(), rand.Text(), oauth2.GenerateVerifier()
	mux.HandleFunc("/login", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, cfg.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier)), http.StatusFound)
	})
	mux.HandleFunc("/callback", func(w http.ResponseWriter, r *http.Request) {
		k, err := func() (k kept, err error) {
			if r.FormValue("state") != state {
				return k, fmt.Errorf("another state")
			}
			token, err := cfg.Exchange(ctx, r.FormValue("code"), oauth2.VerifierOption(verifier))
			if err != nil {
				return k, err
			}
			k.Access, k.Refresh = token.AccessToken, token.RefreshToken
			k.ID, _ = token.Extra("id_token").(string)
			verified, err := provider.Verifier(&oidc.Config{ClientID: c.ID}).Verify(ctx, k.ID)
			if err != nil {
				return k, err
			}
			if verified.Nonce != nonce {
				return k, fmt.Errorf("another nonce")
			}
			info, err := provider.UserInfo(ctx, cfg.TokenSource(ctx, token))
			if err != nil {
				return k, err
			}
			k.Subject, k.UserEmail = info.Subject, info.Email
			if info.Subject != verified.Subject {
				return k, fmt.Errorf("another subject")
			}
			return k, info.Claims(&k)
		}()
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		_ = json.NewEncoder(w).Encode(k)
	})
	v := newVisitor(t)
	first := v.signsIn(c)
	if second := v.signsIn(c); v.signed != 1 || second.Subject != first.Subject {
		t.Errorf("asked for a password %d times", v.signed)
	}
	expired := &oauth2.Token{RefreshToken: first.Refresh, Expiry: time.Now().Add(-time.Hour)}
	next, err := cfg.TokenSource(ctx, expired).Token()
	if err != nil || next.AccessToken == first.Access || next.RefreshToken == first.Refresh || !p.active(c, next.AccessToken) {
		t.Errorf("refreshed: %v %v", next, err)
	}
	var found struct {
		EndSession string `json:"end_session_endpoint"`
	}
	if err := provider.Claims(&found); err != nil {
		t.Fatal(err)
	}
	v.signsOut(c, found.EndSession+"?"+url.Values{"id_token_hint": {first.ID}, "post_logout_redirect_uri": {c.Logout}, "state": {"state-1"}}.Encode())
}

// A certified library, with the sign-out that the app begins.
func TestZitadel(t *testing.T) {
	t.Parallel()
	mux, c := app(t, "zitadel")
	p := start(t, c)
	key := make([]byte, 32)
	_, _ = rand.Read(key)
	cookies := zhttp.NewCookieHandler(key, key, zhttp.WithUnsecure())
	party, err := rp.NewRelyingPartyOIDC(t.Context(), p.origin, c.ID, c.Secret, c.Redirect, []string{"openid", "email", "profile", "offline_access"}, rp.WithCookieHandler(cookies), rp.WithPKCE(cookies))
	if err != nil {
		t.Fatal(err)
	}
	mux.Handle("/login", rp.AuthURLHandler(rand.Text, party))
	mux.Handle("/callback", rp.CodeExchangeHandler(rp.UserinfoCallback(func(w http.ResponseWriter, _ *http.Request, t *zoidc.Tokens[*zoidc.IDTokenClaims], _ string, _ rp.RelyingParty, info *zoidc.UserInfo) {
		_ = json.NewEncoder(w).Encode(kept{Subject: info.Subject, Email: info.Email, Name: info.Name, UserEmail: info.Email, Access: t.AccessToken, Refresh: t.RefreshToken, ID: t.IDToken})
	}), party))
	v := newVisitor(t)
	k := v.signsIn(c)
	next, err := rp.RefreshTokens[*zoidc.IDTokenClaims](context.Background(), party, k.Refresh, "", "")
	if err != nil {
		t.Fatal(err)
	}
	if next.AccessToken == k.Access || !p.active(c, next.AccessToken) {
		t.Errorf("refreshed: %+v", next)
	}
	if err := rp.RevokeToken(t.Context(), party, next.AccessToken, "access_token"); err != nil || p.active(c, next.AccessToken) {
		t.Errorf("revoked: %v", err)
	}
	leave, err := rp.EndSession(t.Context(), party, k.ID, c.Logout, "state-1", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	v.signsOut(c, leave.String())
}
