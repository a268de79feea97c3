package screens_test

import (
	"net/url"
	"testing"

	"portico/internal/apptest"
	"portico/internal/config"
)

// withApps starts a site with an app at its root, one at a path and one at a host, an origin to which
// visitors may return, and two OpenID clients.
func withApps(t *testing.T, change func(*config.Config)) *apptest.Site {
	t.Helper()
	up := &url.URL{Scheme: "http", Host: "127.0.0.1:1"}
	s := apptest.Start(t, func(c *config.Config) {
		c.App.Upstream, c.App.Rules = up, []string{"signed-in /*"}
		c.Apps = []config.App{
			{Name: "wiki", Path: "/wiki", Upstream: up, Key: "app.1"},
			{Name: "shop", Host: "shop.test", Path: "/s", Upstream: up, Key: "app.2"},
		}
		c.ReturnOrigins = []string{"https://*.apps.test"}
		c.Clients = []config.Client{
			{ID: "flux", Name: "Miniflux", IDTokenAlg: "ES256", Secret: "a secret that is long enough", RedirectURIs: []string{"https://flux.test/oauth2/callback"}, Scopes: []string{"openid"}, PKCE: true},
			{ID: "tool", Name: "Tool", IDTokenAlg: "ES256", Public: true, RedirectURIs: []string{"com.example.tool:/back"}, Scopes: []string{"openid"}, PKCE: true},
		}
		if change != nil {
			change(c)
		}
	})
	s.Person("mara@example.org")
	return s
}

// The sign-in page names the app that sent the visitor, and the account leads back to it. Names and
// addresses are those of the settings, whatever a link says.
func TestApps_ThereAndBack(t *testing.T) {
	t.Parallel()
	s := withApps(t, nil)
	for to, want := range map[string]struct{ says, back, label string }{
		"/wiki/page?a=1":                {"to continue to wiki", "/wiki", "Back to wiki"},
		"/wikis":                        {"", "/", "Go back to the app"}, // of the app at the root, which is the site
		"/":                             {"", "/", "Go back to the app"},
		"http://shop.test/s/cart":       {"to continue to shop.test", "http://shop.test/s", "Back to shop.test"},
		"https://eu.apps.test/x?a=Bank": {"to continue to eu.apps.test", "https://eu.apps.test/", "Back to eu.apps.test"},
		"/auth/openid/authorize?client_id=flux&state=1":     {"to continue to Miniflux", "https://flux.test/", "Back to Miniflux"},
		"/auth/openid/authorize?client_id=tool":             {"to continue to Tool", "/", "Go back to the app"}, // it has no page
		"/auth/openid/authorize?client_id=Your%20Bank":      {"", "/", "Go back to the app"},
		"https://evil.test/":                                {"", "/", "Go back to the app"},
		"/auth/account":                                     {"", "/", "Go back to the app"},
		"/wiki/%2e%2e/auth/openid/authorize?client_id=flux": {"", "/", "Go back to the app"},
	} {
		v := visit(s)
		b := v.opens("/auth/signin?return_to=" + url.QueryEscape(to))
		if b.Detail != want.says {
			t.Errorf("%s: the sign-in says %q, want %q", to, b.Detail, want.says)
		}
		v.SignIn("mara@example.org")
		for _, page := range []string{"/auth/account", "/auth/account/sessions", "/auth/account/factors"} {
			if b = v.opens(page); b.Back != want.back || b.BackLabel != want.label {
				t.Errorf("%s: %s leads back to %q, %q", to, page, b.Back, b.BackLabel)
			}
		}
	}
}

// The last app counts: the one whose link or page led to the account, and the OpenID client that got a
// code without a sign-in page. It is forgotten at a sign-out.
func TestApps_TheLastOne(t *testing.T) {
	t.Parallel()
	s := withApps(t, func(c *config.Config) { c.App.Upstream, c.App.Rules = nil, nil })
	v := visit(s)
	v.SignIn("mara@example.org")
	back := func(page, want string) {
		t.Helper()
		if got := v.opens(page).Back; got != want {
			t.Errorf("%s leads back to %q, want %q", page, got, want)
		}
	}
	back("/auth/account", "") // no app is known
	v.Header.Set("Referer", s.Origin+"/wiki/page")
	back("/auth/account", "/wiki")
	v.Header.Set("Referer", s.Origin+"/auth/account")
	back("/auth/account/profile", "/wiki")
	back("/auth/account/profile?return_to=http%3A%2F%2Fshop.test%2Fs%2F1", "http://shop.test/s")
	v.Header.Del("Referer")
	v.Open("/auth/openid/authorize?" + url.Values{
		"client_id": {"flux"}, "redirect_uri": {"https://flux.test/oauth2/callback"}, "response_type": {"code"}, "scope": {"openid"}, "state": {"1"},
		"code_challenge": {"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}, "code_challenge_method": {"S256"},
	}.Encode())
	back("/auth/account", "https://flux.test/")

	v.leads(v.Send("/auth/signout", nil), "/auth/signed-out")
	v.leads(v.Open("/auth/account/profile?return_to=%2Fwiki"), "/auth/signin?return_to=%2Fauth%2Faccount%2Fprofile")
	v.SignIn("mara@example.org")
	back("/auth/account/profile", "/wiki") // the link of the app that asked for the sign-in
	v.Send("/auth/signout", nil)
	v.SignIn("mara@example.org")
	back("/auth/account", "")
}
