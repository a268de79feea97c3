package server_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portico/internal/logtest"
	"portico/internal/server"
)

// A browser that comes from one of our pages leaves by a page, and everything else by a redirect.
func TestSeeOther(t *testing.T) {
	t.Parallel()
	k := server.NewMux(server.Config{
		PublicURL: &url.URL{Scheme: "https", Host: publicHost}, AppHosts: []string{"app.test"}, Catalogue: catalogue(t), Log: debugLog(&logtest.Buffer{}),
	})
	k.LeavingPage(func(w http.ResponseWriter, _ *http.Request, to string) error {
		_, err := io.WriteString(w, "to "+to)
		return err
	})
	leads := func(w http.ResponseWriter, r *http.Request) error {
		return server.SeeOther(w, r.Header.Get("To"))
	}
	for pattern, traits := range map[string][]server.Trait{
		"POST /auth/signin": nil, "GET /auth/signin": nil, "GET /auth/openid/authorize": nil,
		"GET /auth/callback": {server.AfterForm}, "GET /auth/language": {server.EveryHost},
		"POST /auth/language": {server.CrossSite, server.EveryHost}, "GET /.well-known/x": nil,
	} {
		k.Handle(pattern, leads, traits...)
	}
	const away, long = "https://app.test/cb", 2048
	navigation := []string{"Origin: https://" + publicHost, "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"}
	from := func(site string, more ...string) []string {
		return append(append(navigation[:3:3], "Sec-Fetch-Site: "+site), more...)
	}
	for what, tt := range map[string]struct {
		request string
		headers []string
		to      string
		page    bool
	}{
		"a form to an app at another host":      {"POST /auth/signin", from("same-origin"), away, true},
		"a form to an app at this host":         {"POST /auth/signin", from("same-origin"), "/reports", true},
		"a form to an app on a device":          {"POST /auth/signin", from("same-origin"), "com.example.app:/cb", true},
		"a form to an OpenID client":            {"POST /auth/signin", from("same-origin"), "/auth/openid/authorize?x", true},
		"a form to the next page":               {"POST /auth/signin", from("same-origin"), "/auth/mfa?flow=x", false},
		"a page after a form":                   {"GET /auth/signin", from("same-origin"), away, true},
		"a page after a link of an app":         {"GET /auth/signin", from("cross-site"), away, false},
		"a typed address":                       {"GET /auth/signin", from("none"), away, false},
		"a request of an OpenID client":         {"GET /auth/openid/authorize", from("same-origin"), away, false},
		"a path that is none of ours":           {"GET /.well-known/x", from("same-origin"), away, false},
		"after a form of a provider":            {"GET /auth/callback", from("cross-site"), away, true},
		"after a form of a provider, to a page": {"GET /auth/callback", from("cross-site"), "/auth/account", false},
		"a form at the host of an app":          {"POST /auth/language", from("same-origin", "Host: app.test"), "/reports", true},
		"a link at the host of an app":          {"GET /auth/language", from("same-origin", "Host: app.test"), "https://portico.test/auth/account", false},
		"a program":                             {"POST /auth/signin", navigation[:1], away, false},
		"a script":                              {"POST /auth/signin", []string{navigation[0], "Sec-Fetch-Mode: cors", "Sec-Fetch-Dest: empty", "Sec-Fetch-Site: same-origin"}, away, false},
		"a frame":                               {"GET /auth/signin", []string{"Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe", "Sec-Fetch-Site: same-origin"}, away, false},
		"an address too long for a header":      {"GET /auth/openid/authorize", from("cross-site"), "/" + strings.Repeat("x", long), true},
		"an address just short enough":          {"GET /auth/openid/authorize", from("cross-site"), strings.Repeat("x", long), false},
		"an address too long, and a program":    {"GET /auth/openid/authorize", nil, "/" + strings.Repeat("x", long), false},
	} {
		method, target, _ := strings.Cut(tt.request, " ")
		got := (&kit{Mux: k}).do(method, target, "", append(tt.headers, "To: "+tt.to)...)
		status, location, body := http.StatusSeeOther, tt.to, ""
		if tt.page {
			status, location, body = http.StatusOK, "", "to "+tt.to
		}
		if got.Code != status || got.Header().Get("Location") != location || got.Body.String() != body {
			t.Errorf("%s: %d to %q: %.100s", what, got.Code, got.Header().Get("Location"), got.Body)
		}
	}
}
