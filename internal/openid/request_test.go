package openid_test

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	"portico/internal/fault"
	"portico/internal/openid"
)

func clients(t testing.TB) openid.Clients {
	t.Helper()
	var list []openid.Client
	for _, c := range []openid.Client{
		{ID: "rp", Code: true, RedirectURIs: []string{"https://rp.test/cb", "https://rp.test/q?x=1"}, Scopes: openid.Scopes(), PKCE: true},
		{ID: "native", Code: true, Public: true, RedirectURIs: []string{"http://127.0.0.1/cb", "http://[::1]:7/cb", "com.example.app:/cb"}, Scopes: []string{"openid"}, PKCE: true},
	} {
		var secrets openid.Secrets
		if !c.Public {
			secrets.Text = strings.Repeat("s", 24)
		}
		client, err := openid.NewClient(c, secrets)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, client)
	}
	return openid.NewClients(list)
}

func TestNewClient_Secret(t *testing.T) {
	t.Parallel()
	if _, err := openid.NewClient(openid.Client{ID: "rp"}, openid.Secrets{Text: strings.Repeat("s", 23)}); err == nil {
		t.Error("a short secret is accepted")
	}
	hash := "2b4342517a36ceca6dbafc52ecd6bbfaa2c8dd8b5b85ae5d2d0a1fbe4d1df8c2"
	client, err := openid.NewClient(openid.Client{ID: "rp"}, openid.Secrets{Hash: hash})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openid.NewClients([]openid.Client{client}).Authenticate(openid.Proof{ID: "rp", Secret: hash}); err == nil {
		t.Error("the hash of a secret is accepted as the secret")
	}
}

// The port of a loopback address is free for apps on devices alone.
func TestParseRequest_Port(t *testing.T) {
	t.Parallel()
	const registered, used, byName = "http://127.0.0.1:8080/cb", "http://127.0.0.1:7777/cb", "http://localhost:7777/in"
	for what, tt := range map[string]struct {
		client openid.Client
		free   bool
	}{
		"a server of the settings":   {openid.Client{}, false},
		"a public client":            {openid.Client{Public: true}, true},
		"an unknown app with a key":  {openid.Client{Guest: true}, true},
		"an unknown app without one": {openid.Client{Guest: true, Public: true}, true},
	} {
		c := tt.client
		c.ID, c.RedirectURIs = "x", []string{registered, "http://localhost/in"}
		for uri, want := range map[string]bool{registered: true, used: tt.free, byName: tt.free, "http://localhost/in": true, "http://127.0.0.1/in": false, "http://localhost:80@evil.test/in": false, "http://localhost.evil.test/in": false, "http://localhost.:80/in": false, "https://localhost/in": false} {
			_, err := openid.NewClients([]openid.Client{c}).ParsePushed(url.Values{"client_id": {"x"}, "redirect_uri": {uri}})
			if known := !errors.Is(err, openid.RedirectUnknown); known != want {
				t.Errorf("%s at %s: %v", what, uri, err)
			}
		}
	}
}

// Neither of two addresses may be believed, also when they are the same.
func TestParseRequest_Twice(t *testing.T) {
	t.Parallel()
	for name, other := range map[string]string{"client_id": "native", "redirect_uri": "https://rp.test/q?x=1"} {
		for _, again := range []string{"", other, map[string]string{"client_id": "rp", "redirect_uri": "https://rp.test/cb"}[name]} {
			q := url.Values{"client_id": {"rp"}, "redirect_uri": {"https://rp.test/cb"}}
			q.Add(name, again)
			r, err := clients(t).ParseRequest(q)
			if f := fault.From(err); !errors.Is(err, openid.ParameterTwice) || f.Params["name"] != name || r.RedirectURI != "" {
				t.Errorf("%s twice, then %q: %v, back to %q", name, again, err, r.RedirectURI)
			}
		}
	}
}

// Whatever a request says, the browser goes only to a registered address, and no
// scope is granted that the client may not have.
func FuzzParseRequest(f *testing.F) {
	valid := "client_id=rp&redirect_uri=https%3A%2F%2Frp.test%2Fcb&response_type=code&scope=openid+email&code_challenge=" + strings.Repeat("A", 43) + "&code_challenge_method=S256"
	for _, s := range []string{
		valid, valid + "&state=x&state=y", valid + "&prompt=none+login", valid + "&max_age=-1", "client_id=native&redirect_uri=http://127.0.0.1:99/cb&response_type=code&scope=openid",
		"client_id=native&redirect_uri=http://[::1]:1/cb", "client_id=native&redirect_uri=http://127.0.0.1:80@evil.test/cb", "client_id=rp&client_id=native", "",
		valid + "&claims=" + url.QueryEscape(`{"userinfo":{"email":null,"groups":{"essential":true}},"id_token":{"sub":{"value":"x"},"acr":{"essential":true,"values":["2"]}}}`),
		"client_id=native&redirect_uri=http://127.0.0.1:99/cb&response_type=code&scope=openid&code_challenge=" + strings.Repeat("A", 43) + "&code_challenge_method=S256&claims=" + url.QueryEscape(`{"userinfo":{"email":null}}`),
	} {
		f.Add(s)
	}
	registry := clients(f)
	f.Fuzz(func(t *testing.T, raw string) {
		query, err := url.ParseQuery(raw)
		if err != nil {
			return
		}
		r, err := registry.ParseRequest(query)
		var wrong *openid.Error
		switch {
		case errors.Is(err, openid.ClientUnknown), errors.Is(err, openid.RedirectUnknown), errors.Is(err, openid.ParameterTwice):
			if r.RedirectURI != "" {
				t.Fatalf("an address is given for %q", raw)
			}
			return
		case err != nil && !errors.As(err, &wrong):
			t.Fatalf("%q: %v", raw, err)
		}
		u, bad := url.Parse(r.RedirectURI)
		if bad != nil || u.User != nil || !slices.Contains([]string{"rp.test", "127.0.0.1", "::1", ""}, u.Hostname()) || u.Hostname() == "" && u.Scheme != "com.example.app" {
			t.Fatalf("%q leads to %q", raw, r.RedirectURI)
		}
		if err == nil && (r.Challenge == "" || !slices.Contains(r.Scopes, "openid") || len(query["state"]) > 1 || r.None && r.Login) {
			t.Fatalf("%q is accepted: %+v", raw, r)
		}
		for _, scope := range r.Asks() {
			if !slices.Contains(r.Client.Scopes, scope) && !slices.Contains(r.Client.Resources, scope) {
				t.Fatalf("%q gets %s", raw, scope)
			}
		}
	})
}
