package server_test

import (
	"net/http"
	"testing"

	"portico/internal/server"
)

func TestCrossOriginGuard(t *testing.T) {
	t.Parallel()
	k := httpsKit(t)
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "GET", "OPTIONS"} {
		k.Handle(method+" /guarded", ok)
	}
	k.Handle("POST /callback", ok, server.CrossSite)
	cases := []struct {
		name    string
		headers []string
		allowed bool
	}{
		{"our origin", []string{"Origin: https://portico.test"}, true},
		{"our origin, whatever Sec-Fetch-Site says", []string{"Origin: https://portico.test", "Sec-Fetch-Site: same-origin"}, true},
		{"no Origin, same-origin", []string{"Sec-Fetch-Site: same-origin"}, true},
		{"no Origin, typed by the person", []string{"Sec-Fetch-Site: none"}, true},
		{"neither header", nil, false},
		{"only a cookie", []string{"Cookie: __Host-portico-session=x"}, false},
		{"another site", []string{"Origin: https://evil.test"}, false},
		{"another site that claims same-origin", []string{"Origin: https://evil.test", "Sec-Fetch-Site: same-origin"}, false},
		{"a sibling", []string{"Origin: https://sub.portico.test"}, false},
		{"a name that begins as ours", []string{"Origin: https://portico.test.evil.test"}, false},
		{"a name that ends as ours", []string{"Origin: https://evilportico.test"}, false},
		{"our host without TLS", []string{"Origin: http://portico.test"}, false},
		{"another port", []string{"Origin: https://portico.test:8443"}, false},
		{"null", []string{"Origin: null"}, false},
		{"null of a page without referrer", []string{"Origin: null", "Sec-Fetch-Site: same-origin"}, true},
		{"null of a sandboxed frame", []string{"Origin: null", "Sec-Fetch-Site: cross-site"}, false},
		{"null of a sibling", []string{"Origin: null", "Sec-Fetch-Site: same-site"}, false},
		{"null and typed by the person", []string{"Origin: null", "Sec-Fetch-Site: none"}, false},
		{"null twice", []string{"Origin: null", "Origin: null", "Sec-Fetch-Site: same-origin"}, false},
		{"null and contradicting", []string{"Origin: null", "Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"}, false},
		{"empty", []string{"Origin: "}, false},
		{"two origins", []string{"Origin: https://portico.test", "Origin: https://evil.test"}, false},
		{"a list", []string{"Origin: https://portico.test https://evil.test"}, false},
		{"cross-site", []string{"Sec-Fetch-Site: cross-site"}, false},
		{"same-site", []string{"Sec-Fetch-Site: same-site"}, false},
		{"contradicting", []string{"Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"}, false},
		{"a referrer is no proof", []string{"Referer: https://portico.test/auth/signin"}, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, method := range []string{"POST", "PUT", "PATCH", "DELETE"} {
				w := k.do(method, "/guarded", "", c.headers...)
				if (w.Code == http.StatusOK) != c.allowed {
					t.Errorf("%s: status %d, want allowed %v", method, w.Code, c.allowed)
				}
				if !c.allowed && problemOf(t, w.Body.Bytes()).Code != server.CodeCrossOrigin {
					t.Errorf("%s: body %s", method, w.Body)
				}
			}
			for _, method := range []string{"GET", "HEAD", "OPTIONS"} {
				if w := k.do(method, "/guarded", "", c.headers...); w.Code != http.StatusOK {
					t.Errorf("%s: status %d: a safe method is not guarded", method, w.Code)
				}
			}
			if w := k.do("POST", "/callback", "", c.headers...); w.Code != http.StatusOK {
				t.Errorf("status %d: the exempt route is guarded", w.Code)
			}
		})
	}
}
