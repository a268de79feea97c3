package security

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portico/internal/config"
)

// maxHeaders is what nginx takes of the headers of one response (proxy_buffer_size).
const maxHeaders = 4 << 10

// hidden is a part of each host that only the operator of crowded knows.
const hidden = "hidden"

// crowded has as many OpenID clients, providers and apps as a large installation. An app at
// the public host takes every path that is not Portico's.
func crowded(c *config.Config) {
	for i := range 500 {
		host := fmt.Sprintf("https://%s-client-%d.test", hidden, i)
		c.Clients = append(c.Clients, config.Client{
			ID: fmt.Sprintf("client%d", i), IDTokenAlg: "ES256", Public: true, RedirectURIs: []string{host + "/cb"}, Scopes: []string{"openid"}, PKCE: true, LogoutReturns: []string{host + "/bye"},
		})
	}
	for i := range 25 {
		c.Providers = append(c.Providers, config.Provider{
			ID: fmt.Sprintf("id%d", i), Preset: "openid", Name: "ID", Issuer: fmt.Sprintf("https://%s-id-%d.test", hidden, i), ClientID: "x", ClientSecret: "y",
		})
	}
	for i := range 50 {
		host := fmt.Sprintf("%s-app-%d.test", hidden, i)
		c.Apps = append(c.Apps, config.App{Name: fmt.Sprintf("app%d", i), Host: host, Path: "/", Rules: []string{"signed-in /*"}, Key: fmt.Sprintf("app.%d", i+1)})
		c.ReturnOrigins = append(c.ReturnOrigins, "https://return-"+host)
	}
}

// navigation returns the headers by which a browser loads a page from another one of ours.
func navigation() http.Header {
	return http.Header{"Accept": {"text/html"}, "Sec-Fetch-Mode": {"navigate"}, "Sec-Fetch-Dest": {"document"}, "Sec-Fetch-Site": {"same-origin"}}
}

// headers returns the headers of an answer as they are sent.
func (a *answer) headers() string {
	var text strings.Builder
	_ = a.header.Write(&text) // a Builder takes everything
	return "HTTP/1.1 200 OK\r\n" + text.String()
}

// everyPage requests each route as a browser does: without a session and with one, with parameters
// and without.
func everyPage(s *site, judge func(what string, a *answer)) {
	s.Helper()
	v := s.visitor().register(fresh("v"))
	for pattern, r := range routes() {
		method, target := path(pattern)
		for _, query := range []string{"", "?return_to=/" + strings.Repeat("x", 2000)} {
			for who, token := range map[string]string{"a stranger": "", "a user": v.cookie("session")} {
				h := navigation()
				if method == "POST" {
					h.Set("Origin", s.origin)
					h.Set("Content-Type", r.contentType(pattern))
				}
				w := s.visitor()
				if token != "" {
					w = s.with(token)
				}
				judge(fmt.Sprintf("%s%.20s to %s", pattern, query, who), w.do(method, target+query, r.body, h))
			}
		}
		if strings.Contains(pattern, "signout") || pattern == "DELETE /auth/api/sessions" {
			v = s.visitor().register(fresh("v"))
		}
	}
}

func TestSEC355_NoHeaderNamesAnApp(t *testing.T) {
	announce(t)
	t.Parallel()
	everyPage(start(t, crowded), func(what string, a *answer) {
		if h := a.headers(); strings.Contains(h, hidden) {
			t.Errorf("%s: a header names an app: %s", what, h)
		}
	})
}

func TestSEC356_HeadersFitAProxy(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, crowded)
	most := 0
	judge := func(what string, a *answer) {
		n := len(a.headers())
		if most = max(most, n); n > maxHeaders {
			t.Errorf("%s: %d bytes of headers: %.3000s", what, n, a.headers())
		}
	}
	everyPage(s, judge)

	// The answers with the most cookies and the longest addresses.
	address := fresh("v")
	s.operator(address, good)
	v := s.visitor()
	v.header = navigation()
	state := strings.Repeat("%", 1000)
	request := codeRequest("client_id", "spa", "redirect_uri", "https://spa.test/cb", "state", state)
	judge("the way to sign in", v.get("/auth/openid/authorize?"+request.Encode()))
	a := v.form("/auth/signin", url.Values{"email": {address}, "password": {good}, "return_to": {"/auth/openid/authorize?" + request.Encode()}}).must(200)
	judge("the sign-in", a)
	if v.cookie("session") == "" {
		t.Fatal("nobody is signed in")
	}
	a = v.get("/auth/openid/authorize?" + request.Encode()).must(200)
	if judge("the way back", a); !strings.Contains(a.body, url.QueryEscape(state)) {
		t.Errorf("the client does not get its state: %.300s", a.body)
	}
	t.Logf("SEC-356: at most %d bytes", most)
}
