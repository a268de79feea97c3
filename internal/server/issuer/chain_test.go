package issuer_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/internal/apptest"
	"portico/internal/config"
)

const mostRedirects = 3

// follow goes through the redirects after a page, up to a page or an address of an
// app. It returns the addresses, of which there are at most mostRedirects.
func (s *site) follow(b *apptest.Browser, p apptest.Page) (hops []string, last apptest.Page) {
	s.Helper()
	for p.Next() != "" {
		if hops = append(hops, p.Next()); len(hops) > mostRedirects {
			s.Fatalf("%d redirects: %q", len(hops), hops)
		}
		if !strings.HasPrefix(p.Next(), "/") && !strings.HasPrefix(p.Next(), s.Origin) {
			break
		}
		p = b.Open(p.Next())
	}
	return hops, p
}

// A browser meets a page, or the app, after at most three redirects, wherever its
// sign-in has stopped. Each page that needs a session leads to the step that waits.
func TestRedirects_AreShort(t *testing.T) {
	t.Parallel()
	s := startAsking(t, func(c *config.Client) { c.Consent, c.Rules = false, []string{"mfa"} })
	mara := s.signedIn("mara@example.org")
	app := s.addFactor(mara)
	mara.Send("/auth/signout", nil)
	step := func(b *apptest.Browser) string {
		return b.Send("/auth/signin", url.Values{"email": {"mara@example.org"}, "password": {apptest.Password}, "return_to": {authorize(ask())}}).Next()
	}
	atStep, over := s.Browser(), s.Browser()
	waits, ended := step(atStep), query(t, step(over)).Get("flow")
	over.Send("/auth/mfa/restart", url.Values{"flow": {ended}})
	browsers := map[string]*apptest.Browser{
		"without cookies": s.Browser(), "at the second step": atStep, "after the second step": over, "without a second factor": s.signedIn("noor@example.org"),
	}
	for who, b := range browsers {
		for _, page := range []string{
			"/", "/auth/signin", "/auth/signin?return_to=%2Fauth%2Faccount", "/auth/signin?again=1&return_to=%2Fauth%2Faccount%2Fpassword",
			"/auth/mfa", "/auth/mfa?return_to=%2Fauth%2Faccount", "/auth/mfa?flow=" + ended, "/auth/mfa?flow=unknown",
			"/auth/terms", "/auth/protect", "/auth/keep", "/auth/verify-code", "/auth/reset-password", "/auth/signup-passkey",
			"/auth/account", "/auth/account/password", "/auth/account/factors", "/auth/account/passkeys", "/.well-known/change-password",
			"/auth/device", authorize(ask()), authorize(ask("prompt", "login")), authorize(ask("max_age", "0")),
		} {
			hops, last := s.follow(b, b.Open(page))
			private := strings.HasPrefix(page, "/auth/account") || strings.HasPrefix(page, "/auth/openid") || strings.HasPrefix(page, "/.well-known")
			if b == atStep && private && (len(hops) == 0 || hops[len(hops)-1] != waits || last.StatusCode != http.StatusOK) {
				t.Errorf("%s, %s leads to %q, want %s", who, page, hops, waits)
			}
		}
	}
	s.Clock.Advance(time.Minute)
	given := atStep.Send("/auth/mfa", url.Values{"flow": {query(t, waits).Get("flow")}, "code": {app.At(s.Clock.Now())}})
	if hops, _ := s.follow(atStep, given); !strings.HasPrefix(hops[len(hops)-1], rpBack) {
		t.Errorf("the code leads to %q, want the app", hops)
	}
}
