package security

import (
	"net/http"
	"net/url"
	"testing"

	"portico/internal/config"
)

func TestSEC323_PagesOfOthers(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, func(c *config.Config) {
		spa := c.Clients[2]
		spa.ID, spa.RedirectURIs = "spa2", []string{"https://spa2.test/cb"}
		c.Clients = append(c.Clients, spa)
	})
	v := s.visitor().register(fresh("v"))
	own := []string{"client_id", "spa", "client_secret", "", "redirect_uri", "https://spa.test/cb"}
	form := func(kind string) url.Values {
		if kind == "code" {
			return codeForm(v.openIDCode("client_id", "spa", "redirect_uri", "https://spa.test/cb"), own...)
		}
		return codeForm("x", own...)
	}
	send := func(endpoint, origin, body string, lines ...string) *answer {
		header := http.Header{"Origin": {origin}}
		for i := 0; i < len(lines); i += 2 {
			header.Set(lines[i], lines[i+1])
		}
		return s.rpSend(endpoint, body, header).answer
	}
	for origin, may := range map[string]bool{
		"https://spa.test": true, "https://spa2.test": false, "https://rp.test": false, "https://evil.test": false, "null": false,
		"http://spa.test": false, "https://spa.test:444": false, "https://spa.test.evil.test": false, "https://SPA.test": false, "https://spa.test/": false,
	} {
		access := s.rp("token", form("code")).Access
		for what, a := range map[string]*answer{
			"a code":        send("token", origin, form("code").Encode()),
			"a wrong code":  send("token", origin, form("").Encode()),
			"a request":     send("par", origin, codeRequest("client_id", "spa", "redirect_uri", "https://spa.test/cb").Encode()),
			"UserInfo":      send("userinfo", origin, "", "Authorization", "Bearer "+access),
			"a revocation":  send("revoke", origin, url.Values{"token": {"x"}, "client_id": {"spa"}}.Encode()),
			"a secret":      send("token", "https://rp.test", codeForm("x").Encode()),
			"introspection": send("introspect", origin, url.Values{"token": {access}, "client_id": {"rp"}, "client_secret": {rpSecret}}.Encode()),
		} {
			want := ""
			if may && what != "a secret" && what != "introspection" {
				want = origin
			}
			h := a.header
			if h.Get("Access-Control-Allow-Origin") != want || h.Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("%s, %s: %q", origin, what, h.Get("Access-Control-Allow-Origin"))
			}
		}
		a := v.do("OPTIONS", "/auth/openid/userinfo", "", http.Header{"Origin": {origin}, "Access-Control-Request-Method": {"GET"}, "Access-Control-Request-Headers": {"authorization"}})
		if allowed := a.header.Get("Access-Control-Allow-Origin"); (allowed != "") != (may || origin == "https://spa2.test") {
			t.Errorf("%s, before a request: %q", origin, allowed)
		}
	}
}
