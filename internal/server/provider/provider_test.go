package provider_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// The browser leaves from a document, because browsers apply form-action to a
// redirect after a form. The document runs no script and sends the provider no
// Referer.
func TestStart(t *testing.T) {
	t.Parallel()
	b := setup(t).Browser()
	p := b.Send(path+"/start", url.Values{"return_to": {"/reports"}})
	policy := p.Header.Get("Content-Security-Policy")
	if p.StatusCode != 200 || p.Header.Get("Content-Type") != "text/html; charset=utf-8" || p.Header.Get("Cache-Control") != "no-store" ||
		!strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe-inline") ||
		p.Header.Get("Referrer-Policy") != "same-origin" || !strings.Contains(p.Body, `"title":"Taking you to Example ID"`) {
		t.Errorf("answered %d %v %s", p.StatusCode, p.Header, p.Body)
	}
	query := leave(b, nil).Query()
	for name, want := range map[string]string{
		"client_id": "portico", "response_type": "code", "code_challenge_method": "S256", "redirect_uri": b.Origin + path + "/callback",
	} {
		if query.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, query.Get(name), want)
		}
	}
	if query.Get("state") == "" || query.Get("nonce") == "" || query.Get("code_challenge") == "" || b.Cookie("browser") == "" {
		t.Errorf("the attempt is not bound: %v", query)
	}
	b.Header.Set("Accept-Language", "de")
	if p := b.Send(path+"/start", nil); p.Header.Get("Content-Language") != "de" || !strings.Contains(p.Body, "Weiter zu Example ID") {
		t.Errorf("in German: %s", p.Body)
	}
}

func TestCallback_SignsInAndKeepsTheTarget(t *testing.T) {
	t.Parallel()
	b := setup(t).Browser()
	callback := choose(b, leave(b, url.Values{"return_to": {"/reports"}}), "sample-ada")
	leads(b, b.Open(callback), "/reports")
	if b.Cookie("session") == "" {
		t.Error("there is no session")
	}
	// A response works once. Sent again, it ends on a page that can be
	// reloaded.
	leads(b, b.Open(callback), "/auth/signin?failed=flow.conflict&provider=example&return_to=%2Freports")
}

// A visitor goes back to the provider's page and chooses again. With a session the
// visitor may continue to the return target. A sign-out ends the attempt, so the next visitor
// signs in without its target.
func TestCallback_OnceMore(t *testing.T) {
	t.Parallel()
	b := setup(t).Browser()
	callback := choose(b, leave(b, url.Values{"return_to": {"/reports"}}), "sample-ada")
	b.Open(callback)
	if shown := signInPage(b, b.Open(callback)); shown.Notice != "" || shown.Session.Email != "ada@example.test" || shown.Next != "/reports" {
		t.Errorf("signed in: %+v", shown)
	}
	b.Send("/auth/signout", nil)
	if shown := signInPage(b, b.Open(callback)); !strings.Contains(shown.Notice, "was already used") || shown.ReturnTo != "" {
		t.Errorf("signed out: %+v", shown)
	}
}

// The mark is set by a sign-in, not by pressing the button. It outlives signing
// out, and disappears with the next sign-in by another method.
func TestLastUsed(t *testing.T) {
	t.Parallel()
	s := setup(t)
	b := s.Browser()
	marked := func(want bool, when string) {
		t.Helper()
		for _, screen := range []string{"/auth/signin", "/auth/signup"} {
			if got := strings.Contains(b.Open(screen).Body, `"last":"yes"`); got != want {
				t.Errorf("%s: marked on %s: %v, want %v", when, screen, got, want)
			}
		}
	}
	b.Open(choose(b, leave(b, nil), "cancel"))
	marked(false, "after it was cancelled")
	b.Open(choose(b, leave(b, nil), "sample-ada"))
	b.Send("/auth/signout", nil)
	marked(true, "after the sign-out")
	if b.Cookie("provider") != "example" {
		t.Errorf("the browser keeps %q, want the provider's id alone", b.Cookie("provider"))
	}
	s.Person("mara@example.org")
	b.SignIn("mara@example.org")
	b.Send("/auth/signout", nil)
	marked(false, "after a sign-in by password")
	b.SetCookie("provider", "another")
	marked(false, "with the id of no provider")
}

// A form_post response comes from the provider's site, so it has no cookies. It
// becomes a GET with the parameters of the protocol only.
func TestCallbackForm(t *testing.T) {
	t.Parallel()
	b := setup(t).Browser()
	b.Header = http.Header{"Origin": {"https://provider.test"}, "Sec-Fetch-Site": {"cross-site"}}
	p := b.Send(path+"/callback", url.Values{"code": {"c d"}, "state": {"s"}, "evil": {"x"}, "return_to": {"https://evil.test"}})
	leads(b, p, path+"/callback?code=c+d&state=s")
	if set := p.Header["Set-Cookie"]; len(set) != 0 {
		t.Errorf("cookies are set: %v", set)
	}
	leads(b, b.Send(path+"/callback", nil), path+"/callback")
	leads(b, b.Send(path+"/callback", url.Values{"state": {"a", "b"}}), path+"/callback?state=a&state=b") // which the GET refuses
	// No other cross-site form is accepted.
	if p := b.Send(path+"/start", nil); p.StatusCode != http.StatusForbidden {
		t.Errorf("a start from another site got status %d", p.StatusCode)
	}
}
