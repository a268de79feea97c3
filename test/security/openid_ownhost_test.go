package security

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/internal/config"
)

func TestSEC343_RegisteredAtPortico(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, withRegistration)
	token := s.initialToken(5)
	const why = "an address is at the host of this server: name the address of the app"
	for _, uri := range []string{"https://portico.test/cb", "https://PORTICO.test/auth/account", "https://portico.test:443/", "https://portico.test:8443/cb"} {
		for _, changes := range []object{
			{"redirect_uris": []string{uri}, "post_logout_redirect_uris": nil, "token_endpoint_auth_method": "none"},
			{"redirect_uris": []string{uri}, "post_logout_redirect_uris": []string{uri}},
		} {
			if r := s.registers(token, changes); r.status != 400 || r.Error != "invalid_redirect_uri" || r.Why != why {
				t.Errorf("%s: %d %s", uri, r.status, r.body)
			}
		}
	}
	for member, address := range map[string]string{"jwks_uri": "https://portico.test/.well-known/jwks.json", "backchannel_logout_uri": "https://portico.test/auth/signout"} {
		if r := s.registers(token, object{member: address, "token_endpoint_auth_method": "private_key_jwt", "jwks": nil}); r.status != 400 {
			t.Errorf("%s: %d %s", member, r.status, r.body)
		}
	}
	// A client whose host becomes the host of Portico.
	v := s.visitor().register(fresh("v"))
	r := s.registers(token, nil)
	got := r.tokens(v)
	s.stop()
	s.config.PublicURL = &url.URL{Scheme: "https", Host: "app.test"}
	s.run()
	v = v.on(s)
	if a := v.authorize(r.request()); a.status != 422 || a.header.Get("Location") != "" {
		t.Errorf("a client at the new host of Portico: %d %s", a.status, a.header.Get("Location"))
	}
	if a := v.askLogout(url.Values{"client_id": {r.ID}}); !strings.Contains(a.body, "<title>sign-out</title>") {
		t.Errorf("the user cannot sign out: %d %s", a.status, a.body)
	}
	if _, known, err := s.app.OpenID.ClientToTell(t.Context(), r.ID); known || err != nil {
		t.Errorf("a message to it is kept: %v, %v", known, err)
	}
	s.refused("its refresh token", s.rp("token", refreshForm(got.Refresh, "client_id", r.ID, "client_secret", r.Secret)), "invalid_client")
}

func TestSEC343_DescribedAtPortico(t *testing.T) {
	announce(t)
	t.Parallel()
	p := newStranger(t)
	s := start(t, only(p), func(c *config.Config) {
		c.OpenID.ClientOrigins = append(c.OpenID.ClientOrigins, "https://portico.test")
	})
	v := s.visitor().register(fresh("v"))
	for _, uri := range []string{"https://portico.test/cb", "https://portico.test:8443/cb"} {
		p.says(object{"redirect_uris": []string{"https://rp3.test/cb", uri}})
		s.clock.Advance(6 * time.Minute)
		s.unknown(uri, v.authorize(p.request()))
		s.unknown(uri, v.authorize(p.request("redirect_uri", uri)))
	}
	asked := p.asked.Load()
	s.unknown("a document here", v.authorize(p.request("client_id", "https://portico.test/client.json")))
	if p.asked.Load() != asked {
		t.Error("another document is loaded")
	}
	p.says(nil)
	s.clock.Advance(6 * time.Minute)
	if a := v.authorize(p.request()); a.status != 200 {
		t.Errorf("a client elsewhere: %d %s", a.status, a.header.Get("Location"))
	}
}
