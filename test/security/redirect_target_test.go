package security

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portico/internal/config"
)

// apps allows two forms of origins as return targets.
func apps(c *config.Config) { c.ReturnOrigins = []string{"https://app.test", "https://*.apps.test"} }

// evilTargets lead a browser to another site, although some parsers take them
// for local or for an allowed app.
func evilTargets() []string {
	return []string{
		"//evil.test", "///evil.test", "/\\evil.test", "\\/evil.test", "\\\\evil.test", "/\t/evil.test", "/\n/evil.test", "/\r/evil.test",
		" //evil.test", "\t//evil.test", "/ /evil.test", "https:evil.test", "https:/evil.test", "https:///evil.test", "http:\\\\evil.test",
		"https://app.test@evil.test", "https://app.test:443@evil.test", "https://app.test.evil.test", "https://evil.test#@app.test",
		"https://evil.test?@app.test", "https://evil.test\\.app.test", "https://evil.test\\@app.test", "//evil\u3002test", "https://\uff41pp.test",
		"/%2f%2fevil.test", "/%2F/evil.test", "/..//evil.test", "/.//evil.test", "/%5cevil.test", "/%09/evil.test", "/%0a/evil.test", "//%65vil.test",
		"https://app.test%2eevil.test", "https://app.test%00.evil.test", "javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\tscript:alert(1)",
		"vbscript:x", "data:text/html,<script>alert(1)</script>", "blob:https://app.test/x", "file:///etc/passwd", "/%252f%252fevil.test/..//evil.test",
		"http://app.test", "https://app.test:8443", "https://App.test", "https://app.test.", "https://xapp.test", "https://apptest",
		"https://a.b.apps.test", "https://apps.test", "https://evilapps.test", "https://.apps.test", "https://user@x.apps.test", "https://x.apps.test:444",
		"https://x.apps.test.evil.test", "https://[::1]", "https://app.test\x00", "/" + strings.Repeat("a", 4096), "/auth/signin?return_to=//evil.test", "evil.test", "?x", "#x",
	}
}

// landing signs in with a return target, by script and by form. It returns both
// redirects.
func (s *site) landing(address, target string) (script, form string) {
	s.Helper()
	a := s.visitor().post("signin", object{"email": address, "password": good, "return_to": target})
	if a.status != 200 {
		return "refused", "refused" // the server refuses text with NUL
	}
	b := s.visitor().form("/auth/signin", url.Values{"email": {address}, "password": {good}, "return_to": {target}})
	return a.next(), b.must(303).header.Get("Location")
}

func TestSEC056_ReturnTargetsStayHere(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, apps)
	address := fresh("v")
	s.operator(address, good)
	v := s.visitor()
	for i, target := range evilTargets() {
		for _, page := range []string{"/auth/signin", "/auth/signup", "/auth/forgot-password"} {
			a := v.get(page + "?return_to=" + url.QueryEscape(target))
			if !strings.Contains(a.body, `"return_to":""`) || strings.Contains(a.body, "evil") {
				t.Errorf("%s keeps %.60q: %.300s", page, target, a.body)
			}
		}
		if !full() && i%5 != 0 {
			continue // each sign-in costs two hashes, and the rule is the same
		}
		if script, form := s.landing(address, target); script != "/auth/account" && script != "refused" || form != script {
			t.Errorf("%.60q leads to %.60q and %.60q", target, script, form)
		}
	}
	for _, target := range []string{"/", "/x/y?q=//evil.test#f", "https://app.test/a?b", "https://x.apps.test/"} {
		if script, form := s.landing(address, target); script != target || form != target {
			t.Errorf("%q leads to %q and %q", target, script, form)
		}
	}
}

// The targets of SEC-056 include origins that look like an allowed one. Here
// they come through registration, recovery and the account page.
func TestSEC057_AllowedOriginsAreExact(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, apps)
	for _, target := range []string{"https://app.test.evil", "https://xapp.test", "https://a.b.apps.test", "http://app.test", "https://app.test:8443"} {
		address := fresh("n")
		v := s.visitor()
		flow := v.post("signup", object{"email": address, "password": good, "confirm_password": good, "return_to": target}).flow()
		if next := v.verify(flow, s.mail.next(address).code(t)).next(); next != "/auth/account" {
			t.Errorf("a registration with %q ends at %q", target, next)
		}
		w := s.visitor()
		flow = w.post("forgot-password", object{"email": address, "return_to": target}).flow()
		w.verify(flow, lastCode(s, s.mail, address)).must(200)
		if next := w.reset(flow, other).next(); next != "/auth/account" {
			t.Errorf("a recovery with %q ends at %q", target, next)
		}
	}
}

func TestSEC060_CanonicalRedirectsStayHere(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	for _, target := range []string{
		"//evil.test/..;/", "//evil.test/%2e%2e", "/\\evil.test/", "//evil.test//", "/auth/signin/", "/auth//signin", "/evil.test//..", "/.//evil.test",
		"/%2fevil.test", "/%5cevil.test", "/auth/../..//evil.test", "/auth", "/.well-known/change-password/", "http://evil.test/", "https://evil.test/auth/signin",
	} {
		for _, extra := range []string{"", "X-Forwarded-Prefix: //evil.test\r\n"} {
			for _, a := range s.raw("GET " + target + " HTTP/1.1\r\nHost: portico.test\r\nAccept: text/html\r\n" + extra + "Connection: close\r\n\r\n") {
				if location := a.header.Get("Location"); location != "" && (!strings.HasPrefix(location, "/") || strings.HasPrefix(location, "//")) || strings.Contains(location, "evil") {
					t.Errorf("%s redirects to %q", target, location)
				}
			}
		}
	}
	// A loopback alias always redirects to the configured name.
	local := start(t, plain)
	v := local.visitor()
	a := v.do("GET", "/auth/signin", "", http.Header{"Host": {strings.Replace(local.config.PublicURL.Host, "localhost", "127.0.0.1", 1)}, "Accept": {"text/html"}})
	if a.status != 307 || a.header.Get("Location") != local.origin+"/auth/signin" {
		t.Errorf("a loopback alias gets status %d to %q", a.status, a.header.Get("Location"))
	}
}

func TestSEC061_NoSecretsInURLs(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	secrets := s.journey()
	for _, seen := range s.trace.all() {
		if strings.HasPrefix(seen, "GET /auth/confirm-link?token=") {
			continue // the emailed link itself
		}
		for name, value := range secrets {
			if value != "" && (strings.Contains(seen, value) || strings.Contains(seen, url.QueryEscape(value))) {
				t.Errorf("%s holds the %s", seen, name)
			}
		}
	}
	if len(s.trace.all()) < 20 {
		t.Errorf("only %d addresses were seen", len(s.trace.all()))
	}
	// The page of the emailed link, and pages of a flow, send no Referer to
	// other sites.
	for _, target := range []string{"/auth/confirm-link", "/auth/reset-password?flow=x", "/auth/verify-code?flow=x", "/auth/confirm-link?token=" + secrets["reset link"]} {
		if policy := s.visitor().get(target).header.Get("Referrer-Policy"); policy != "same-origin" && policy != "no-referrer" {
			t.Errorf("%s has the referrer policy %q", target, policy)
		}
	}
}

// An attacker's link, page or cookie must not give the sign-in page the name of another app, nor the
// account a way back to another site.
func TestSEC424_AppsAreThoseOfTheSettings(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, apps)
	address := fresh("v")
	s.operator(address, good)
	v := s.visitor()
	v.signIn(address, good)
	leads := func(how, want string, header http.Header) {
		t.Helper()
		if got := v.do("GET", "/auth/account"+how, "", header).must(200).boot().Back; got != want {
			t.Errorf("%q, %v: the account leads back to %q, want %q", how, header, got, want)
		}
	}
	for _, target := range append(evilTargets(), "/auth/openid/authorize?client_id=Your+Bank", "https://evil.test/login") {
		asks := "?return_to=" + url.QueryEscape(target)
		if says := s.visitor().get("/auth/signin" + asks).boot().Detail; says != "" {
			t.Errorf("%q: the sign-in page says %q", target, says)
		}
		leads(asks, "", nil)
		if !strings.ContainsAny(target, "\n\r\x00") {
			leads("", "", http.Header{"Referer": {target}})
		}
		leads("", "", http.Header{"Cookie": {v.cookieLine() + "; " + v.cookieName("app") + "=" + base64.RawURLEncoding.EncodeToString([]byte(target))}})
	}
	leads("?return_to="+url.QueryEscape("https://app.test/x?y=//evil.test#z"), "https://app.test/", nil)
}
