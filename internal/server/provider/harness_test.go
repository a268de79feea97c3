package provider_test

import (
	"html"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"portico/internal/apptest"
	"portico/internal/config"
	"portico/internal/dev/idp"
)

const path = "/auth/provider/example"

// setup runs a site with three providers: the test provider, a provider that is
// down, and a provider that cannot tell when its user signed in.
func setup(t *testing.T, changes ...func(*config.Config)) *apptest.Site {
	t.Helper()
	srv := httptest.NewUnstartedServer(nil)
	issuer := "http://" + srv.Listener.Addr().String()
	providers := func(c *config.Config) {
		c.Providers = []config.Provider{{
			ID: "example", Preset: "openid", Name: "Example ID", Issuer: issuer,
			ClientID: "portico", ClientSecret: "at the example", TrustEmail: true,
		}, {
			ID: "down", Preset: "openid", Name: "Down ID", Issuer: deadIssuer(), ClientID: "portico", ClientSecret: "at nobody",
		}, {
			ID: "github", Preset: "github", Name: "GitHub", ClientID: "portico", ClientSecret: "at GitHub",
		}}
	}
	s := apptest.Start(t, append([]func(*config.Config){providers}, changes...)...)
	handler, err := idp.New(idp.Config{
		Issuer: issuer, ClientID: "portico", ClientSecret: "at the example",
		RedirectURI: s.Origin + path + "/callback", Clock: s.Clock,
	})
	if err != nil {
		t.Fatal(err)
	}
	srv.Config.Handler = handler
	srv.Start()
	t.Cleanup(srv.Close)
	return s
}

// leave submits the provider's button and returns the URL of the redirect.
func leave(b *apptest.Browser, form url.Values) *url.URL {
	b.Helper()
	p := b.Send(path+"/start", form)
	u, found := goesTo(p)
	if p.StatusCode != 200 || !found {
		b.Fatalf("not sent away, but %d: %s", p.StatusCode, p.Body)
	}
	return u
}

// goesTo returns the URL that a page redirects to by itself.
func goesTo(p apptest.Page) (*url.URL, bool) {
	_, to, _ := strings.Cut(p.Body, `content="0;url=`)
	to, _, found := strings.Cut(to, `"`)
	u, err := url.Parse(html.UnescapeString(to))
	return u, found && err == nil
}

// choose submits a button on the provider's page and returns the callback URL.
func choose(b *apptest.Browser, at *url.URL, choice string) string {
	b.Helper()
	return chooseWith(b, at, url.Values{"choice": {choice}})
}

func chooseWith(b *apptest.Browser, at *url.URL, form url.Values) string {
	b.Helper()
	form.Set("request", at.RawQuery)
	p := b.Send(at.Scheme+"://"+at.Host+"/authorize", form)
	if p.StatusCode != 303 {
		b.Fatalf("the provider answers %d: %s", p.StatusCode, p.Body)
	}
	return p.Next()
}

// silently requests a provider that does not ask, and returns the callback URL.
func silently(b *apptest.Browser, at *url.URL) string {
	b.Helper()
	p := b.Open(at.String())
	if p.StatusCode != 303 {
		b.Fatalf("the provider asks: %d", p.StatusCode)
	}
	return p.Next()
}

// leads expects a redirect.
func leads(b *apptest.Browser, p apptest.Page, to string) {
	b.Helper()
	if p.StatusCode != 303 || p.Next() != to {
		b.Errorf("answered %d to %q, want 303 to %q", p.StatusCode, p.Next(), to)
	}
}
