package provider_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portico/internal/server/doortest"
)

// The browser leaves by a document, because a redirect after a form is held
// against form-action; it may run nothing and tells the provider nothing.
func TestStart(t *testing.T) {
	t.Parallel()
	b := setup(t).Browser()
	p := b.Send(path+"/start", url.Values{"return_to": {"/reports"}})
	policy := p.Header.Get("Content-Security-Policy")
	if p.StatusCode != 200 || p.Header.Get("Content-Type") != "text/html; charset=utf-8" || p.Header.Get("Cache-Control") != "no-store" ||
		!strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe-inline") ||
		!strings.Contains(p.Body, `rel="noreferrer">Continue to Example ID</a>`) {
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
	if p := b.Send(path+"/start", nil); !strings.Contains(p.Body, `<html lang="de">`) || !strings.Contains(p.Body, "Weiter zu Example ID") {
		t.Errorf("in German: %s", p.Body)
	}
}

func TestCallback_SignsInAndKeepsTheTarget(t *testing.T) {
	t.Parallel()
	b := setup(t).Browser()
	callback := choose(b, leave(b, url.Values{"return_to": {"/reports"}}), "sample-ada")
	leads(b, b.Open(callback), "/reports")
	if b.Cookie("session") == "" {
		t.Error("nobody is signed in")
	}
	// An answer works once; what comes again ends on a page that can be reloaded.
	if p := b.Open(callback); p.StatusCode != 303 || !strings.HasPrefix(p.Next(), "/auth/error?code=flow.") {
		t.Errorf("the same answer again leads to %q", p.Next())
	}
}

// Back to the provider's page and chosen once more: who is signed in goes on,
// anybody else signs in, both to where they wanted to go; no reload is advised,
// because none would change anything.
func TestCallback_OnceMore(t *testing.T) {
	t.Parallel()
	b := setup(t).Browser()
	callback := choose(b, leave(b, url.Values{"return_to": {"/reports"}}), "sample-ada")
	b.Open(callback)
	var shown struct {
		Title, Detail, Next string
		Label               string `json:"next_label"`
	}
	b.Boot(b.Open(b.Open(callback).Next()), &shown)
	if shown.Title != "You are signed in" || shown.Next != "/reports" || shown.Label != "Continue" {
		t.Errorf("signed in: %+v", shown)
	}
	b.Send("/auth/signout", nil)
	b.Boot(b.Open(b.Open(callback).Next()), &shown)
	if shown.Title != "This step is over" || shown.Next != "/auth/signin?return_to=%2Freports" || strings.Contains(shown.Detail, "eload") {
		t.Errorf("signed out: %+v", shown)
	}
}

// The mark is set by a sign-in, not by a press, outlives the sign-out, and goes
// with the next sign-in by another way.
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

// Every failure ends on a page that says what happened, with the way back to
// where the person wanted to go.
func TestFailures(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for name, tt := range map[string]struct {
		fail   func(*doortest.Browser) doortest.Page
		code   string
		status int
	}{
		"unknown provider": {func(b *doortest.Browser) doortest.Page {
			return b.Send("/auth/provider/nobody/start", url.Values{"return_to": {"/reports"}})
		}, "provider.unknown", 404},
		"cancelled": {func(b *doortest.Browser) doortest.Page {
			return b.Open(choose(b, leave(b, url.Values{"return_to": {"/reports"}}), "cancel"))
		}, "provider.cancelled", 403},
		"another site's answer": {func(b *doortest.Browser) doortest.Page {
			at := leave(b, url.Values{"return_to": {"/reports"}})
			return b.Open(path + "/callback?code=x&iss=https%3A%2F%2Fevil.test&state=" + at.Query().Get("state"))
		}, "provider.rejected", 403},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := s.Browser()
			p := tt.fail(b)
			if want := "/auth/error?code=" + tt.code; p.StatusCode != 303 || !strings.HasPrefix(p.Next(), want+"&") {
				t.Fatalf("answered %d to %q, want 303 to %s", p.StatusCode, p.Next(), want)
			}
			var shown struct {
				Detail string `json:"detail"`
				Next   string `json:"next"`
				Errors struct {
					RequestID string `json:"request_id"`
				} `json:"errors"`
			}
			page := b.Open(p.Next())
			b.Boot(page, &shown)
			if page.StatusCode != tt.status || shown.Detail == "" || strings.Contains(shown.Detail, "{") ||
				shown.Next != "/auth/signin?return_to=%2Freports" || shown.Errors.RequestID == "" {
				t.Errorf("answered %d: %+v", page.StatusCode, shown)
			}
			if b.Cookie("session") != "" {
				t.Error("somebody is signed in")
			}
		})
	}
}

// An answer by form_post comes from the provider's site and so without cookies:
// it becomes a GET of ours, with what the protocol knows and nothing else.
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
	// No other form may come from there.
	if p := b.Send(path+"/start", nil); p.StatusCode != http.StatusForbidden {
		t.Errorf("a start from another site is answered %d", p.StatusCode)
	}
}
