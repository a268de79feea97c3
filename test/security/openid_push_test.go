package security

import (
	"maps"
	"net/url"
	"strings"
	"testing"
	"time"
)

// pushes returns the name of a request that RP1 has pushed.
func (s *site) pushes(changes ...string) string {
	s.Helper()
	got := s.rp("par", with(codeRequest(changes...), "client_secret", rpSecret))
	if got.status != 201 || !strings.HasPrefix(got.Name, "urn:ietf:params:oauth:request_uri:") {
		s.Fatalf("the request is not taken: %d %s", got.status, got.body)
	}
	return got.Name
}

func (v *visitor) pulls(name string, more ...string) *answer {
	v.Helper()
	return v.authorize(with(url.Values{"client_id": {"rp"}, "request_uri": {name}}, more...))
}

func TestSEC311_PushedRequests(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor().register(fresh("v"))
	for range rounds(2, 50) {
		name := s.pushes()
		if won := race(20, func() bool { return v.copied().pulls(name).sentBack(rpBack).Get("code") != "" }); won != 1 {
			t.Fatalf("one pushed request gave %d codes", won)
		}
	}
	stays := func(what string, a *answer) {
		t.Helper()
		if a.status != 422 || a.header.Get("Location") != "" {
			t.Errorf("%s: %d %s", what, a.status, a.header.Get("Location"))
		}
	}
	name := s.pushes()
	stays("another client", v.pulls(name, "client_id", "rp2"))
	stays("no client", v.pulls(name, "client_id", ""))
	stays("two clients", v.get("/auth/openid/authorize?client_id=rp&client_id=rp2&request_uri="+url.QueryEscape(name)))
	stays("two names", v.get("/auth/openid/authorize?client_id=rp&request_uri="+url.QueryEscape(name)+"&request_uri="+url.QueryEscape(s.pushes())))
	for _, guess := range []string{name + "x", name[:len(name)-1], strings.ToUpper(name), name[:len(name)-43], name[:len(name)-43] + strings.Repeat("A", 43), name + "\x00"} {
		if a := v.pulls(guess); a.status < 400 && a.sentBack(rpBack).Get("error") == "" {
			t.Errorf("the name %q: %d %s", guess, a.status, a.header.Get("Location"))
		}
	}
	for where, data := range s.files() {
		if strings.Contains(data, name[len(name)-43:]) {
			t.Errorf("%s holds the name of a request", where)
		}
	}
	// Nothing other than the name counts.
	a := v.pulls(name, "redirect_uri", "https://rp.test/second", "scope", "openid profile groups", "state", "other", "prompt", "login", "response_mode", "form_post", "nonce", "evil", "code_challenge", strings.Repeat("A", 43))
	got := s.rp("token", codeForm(a.sentBack(rpBack).Get("code")))
	if a.sentBack(rpBack).Get("state") != "s t&<a>" || got.status != 200 || !strings.Contains(payloadOf(t, got.ID), `"nonce":"n"`) || strings.Contains(got.body, "groups") {
		t.Errorf("the browser has changed the request: %d %s, %s", a.status, a.header.Get("Location"), got.body)
	}

	late := s.pushes()
	s.clock.Advance(61 * time.Second)
	stays("too late", v.pulls(late))
	stays("with the mark of another request", v.get("/auth/openid/authorize?"+url.Values{"client_id": {"rp"}, "request_uri": {late}}.Encode()+"&portico_mark="+markOf(s.visitor().pulls(s.pushes()))))

	s.refused("a request by the browser's own words", s.rp("par", with(codeRequest(), "client_secret", "wrong")), "invalid_client")
	s.refused("of a public client without a code challenge", s.rp("par", codeRequest("client_id", "spa", "redirect_uri", "https://spa.test/cb", "code_challenge", "", "code_challenge_method", "")), "invalid_request")
	s.refused("for another client", s.rp("par", with(codeRequest("client_id", "rp2"), "client_secret", rpSecret)), "invalid_client")
	s.refused("with an address that is not registered", s.rp("par", with(codeRequest("redirect_uri", "https://evil.test/cb"), "client_secret", rpSecret)), "invalid_request")
	kept := s.pushes()
	s.stop()
	s.config.Clients[0].RedirectURIs = []string{"https://rp.test/second"}
	s.run()
	stays("an address that the client has lost", v.copied().pulls(kept))
}

// copied returns the same browser for one request among others.
func (v *visitor) copied() *visitor {
	twin := *v
	twin.cookies = maps.Clone(v.cookies)
	return &twin
}

// markOf returns the mark in the address of the sign-in page.
func markOf(a *answer) string {
	to, _ := url.Parse(a.header.Get("Location"))
	_, mark, _ := strings.Cut(to.Query().Get("return_to"), "&portico_mark=")
	return mark
}
