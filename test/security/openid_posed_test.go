package security

import (
	"net/url"
	"testing"

	"portico/internal/config"
)

// Nobody proves which app on a device has sent a request: any of them can listen there (RFC 8252 8.6).
func TestSEC485_AnAppOnTheDevicePosesAsAnother(t *testing.T) {
	announce(t)
	t.Parallel()
	const scheme, site = "com.example.field:/callback", "https://field.test/cb"
	s := start(t, func(c *config.Config) {
		c.Clients = append(c.Clients, config.Client{
			ID: "field", IDTokenAlg: "ES256", Public: true, PKCE: true, Consent: true, Scopes: []string{"openid", "email"},
			RedirectURIs: []string{scheme, "http://127.0.0.1/cb", site},
		})
	})
	v := s.visitor().register(fresh("v"))
	for address, asks := range map[string]bool{scheme: true, "http://127.0.0.1:7777/cb": true, site: false} {
		q := codeRequest("client_id", "field", "redirect_uri", address)
		form := url.Values{"account": {v.id()}, "request": {q.Encode()}, "scopes": {"openid email"}, "answer": {"allow"}}
		if got := v.form("/auth/openid/consent", form); got.sentBack(address).Get("code") == "" {
			t.Fatalf("%s, whose user agrees: %d", address, got.status)
		}
		if got := v.authorize(q).sentBack(address).Get("code"); (got == "") != asks {
			t.Errorf("%s: the user is asked again: %v", address, got == "")
		}
		q.Set("prompt", "none")
		if got := v.authorize(q).sentBack(address); (got.Get("error") == "consent_required") != asks {
			t.Errorf("%s: prompt=none: %v", address, got)
		}
	}
}
