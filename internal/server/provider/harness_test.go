package provider_test

import (
	"html"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"portico/internal/config"
	"portico/internal/dev/idp"
	"portico/internal/server/doortest"
)

const path = "/auth/provider/example"

// setup runs a site with one provider, which signs in whom it is told to.
func setup(t *testing.T) *doortest.Site {
	t.Helper()
	srv := httptest.NewUnstartedServer(nil)
	issuer := "http://" + srv.Listener.Addr().String()
	s := doortest.Start(t, func(c *config.Config) {
		c.Providers = []config.Provider{{
			ID: "example", Preset: "openid", Name: "Example ID", Issuer: issuer,
			ClientID: "portico", ClientSecret: "at the example", TrustEmail: true,
		}}
	})
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

// leave presses the provider's button and returns the address that the browser
// is sent to.
func leave(b *doortest.Browser, form url.Values) *url.URL {
	b.Helper()
	p := b.Send(path+"/start", form)
	_, to, _ := strings.Cut(p.Body, `content="0;url=`)
	to, _, found := strings.Cut(to, `"`)
	u, err := url.Parse(html.UnescapeString(to))
	if p.StatusCode != 200 || !found || err != nil {
		b.Fatalf("not sent away, but %d: %s", p.StatusCode, p.Body)
	}
	return u
}

// choose presses a button of the provider's page and returns the callback.
func choose(b *doortest.Browser, at *url.URL, choice string) string {
	b.Helper()
	p := b.Send(at.Scheme+"://"+at.Host+"/authorize", url.Values{"request": {at.RawQuery}, "choice": {choice}})
	if p.StatusCode != 303 {
		b.Fatalf("the provider answers %d: %s", p.StatusCode, p.Body)
	}
	return p.Next()
}

// leads expects a redirect.
func leads(b *doortest.Browser, p doortest.Page, to string) {
	b.Helper()
	if p.StatusCode != 303 || p.Next() != to {
		b.Errorf("answered %d to %q, want 303 to %q", p.StatusCode, p.Next(), to)
	}
}
