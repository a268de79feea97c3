package provider_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portico/internal/account"
	"portico/internal/apptest"
	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/server/screens"
)

// signInPage follows a redirect to the sign-in page and returns its data. A
// reload shows the same.
func signInPage(b *apptest.Browser, p apptest.Page) (shown screens.Boot) {
	b.Helper()
	if p.StatusCode != 303 || !strings.HasPrefix(p.Next(), "/auth/signin?") || !strings.Contains(p.Next(), "failed=") {
		b.Fatalf("answered %d to %q: %s", p.StatusCode, p.Next(), p.Body)
	}
	var again screens.Boot
	page := b.Open(p.Next())
	b.Boot(page, &shown)
	b.Boot(b.Open(p.Next()), &again)
	if page.StatusCode != 200 || shown.Screen != "signin" || len(shown.Providers) == 0 || shown.Errors.Form != "" {
		b.Errorf("answered %d: %+v", page.StatusCode, shown)
	}
	if again.Notice != shown.Notice {
		b.Errorf("after a reload the page says %q, before %q", again.Notice, shown.Notice)
	}
	return shown
}

// Every failure ends on the sign-in page with Portico's own words. The page
// keeps the return target, and no session begins.
func TestFailures(t *testing.T) {
	t.Parallel()
	s := setup(t)
	way := url.Values{"return_to": {"/reports"}}
	callback := func(b *apptest.Browser, more string) apptest.Page {
		return b.Open(path + "/callback?state=" + leave(b, way).Query().Get("state") + more)
	}
	for name, tt := range map[string]struct {
		fail  func(*apptest.Browser) apptest.Page
		words string
	}{
		"unknown provider": {func(b *apptest.Browser) apptest.Page {
			return b.Send("/auth/provider/nobody/start", way)
		}, "You can't sign in with that provider here."},
		"down at the beginning": {func(b *apptest.Browser) apptest.Page {
			return b.Send("/auth/provider/down/start", way)
		}, "Down ID isn't responding."},
		"cancelled": {func(b *apptest.Browser) apptest.Page {
			return b.Open(choose(b, leave(b, way), "cancel"))
		}, "You didn't finish signing in with Example ID."},
		"an error of the provider": {func(b *apptest.Browser) apptest.Page {
			return callback(b, "&error=invalid_request&error_description=Call+0123+now&iss="+url.QueryEscape(issuer(b)))
		}, "We couldn't verify your sign-in with Example ID."},
		"an outage of the provider": {func(b *apptest.Browser) apptest.Page {
			return callback(b, "&error=server_error&iss="+url.QueryEscape(issuer(b)))
		}, "Example ID isn't responding."},
		"another site's answer": {func(b *apptest.Browser) apptest.Page {
			return callback(b, "&code=x&iss=https%3A%2F%2Fevil.test")
		}, "We couldn't verify your sign-in with Example ID."},
		"no address": {func(b *apptest.Browser) apptest.Page {
			return b.Open(choose(b, leave(b, way), "sample-alan"))
		}, "Example ID didn't share your email address."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := s.Browser()
			shown := signInPage(b, tt.fail(b))
			if !strings.HasPrefix(shown.Notice, tt.words) || strings.ContainsAny(shown.Notice, "{}") || strings.Contains(shown.Notice, "0123") {
				t.Errorf("the page says %q, want %q", shown.Notice, tt.words)
			}
			if shown.ReturnTo != "/reports" || b.Cookie("session") != "" {
				t.Errorf("the target is %q, the session %q", shown.ReturnTo, b.Cookie("session"))
			}
		})
	}
}

// issuer returns the URL of the test provider.
func issuer(b *apptest.Browser) string {
	at := leave(b, nil)
	return at.Scheme + "://" + at.Host
}

// A response that is late, was not requested, or reaches the wrong browser.
func TestFailures_NoAttempt(t *testing.T) {
	t.Parallel()
	s := setup(t)
	const over = "Your sign-in with Example ID took too long"
	late := s.Browser()
	answer := choose(late, leave(late, nil), "sample-ada")
	unasked := s.Browser()
	leave(unasked, nil) // has a cookie of its own
	for name, p := range map[string]apptest.Page{
		"another browser's": unasked.Open(answer), "no state": unasked.Open(path + "/callback?code=x"),
		"a made-up state": unasked.Open(path + "/callback?code=x&state=0123456789abcdefghjkmnpqrs"),
	} {
		if shown := signInPage(unasked, p); !strings.HasPrefix(shown.Notice, over) {
			t.Errorf("%s: the page says %q", name, shown.Notice)
		}
	}
	if shown := signInPage(s.Browser(), s.Browser().Open(answer)); !strings.Contains(shown.Notice, "blocked the cookie") {
		t.Errorf("without a cookie the page says %q", shown.Notice)
	}
	s.Clock.Advance(16 * 60e9)
	if shown := signInPage(late, late.Open(answer)); !strings.HasPrefix(shown.Notice, over) {
		t.Errorf("late: the page says %q", shown.Notice)
	}
}

// Messages about an account are shown only to the browser whose attempt failed.
// A link with the same parameters shows nothing.
func TestFailures_OfAnAccount(t *testing.T) {
	t.Parallel()
	s := setup(t, func(c *config.Config) { c.SignUp.Mode = "closed" })
	id := s.Person("ada@example.test")
	b := s.Browser()

	closed := b.Open(choose(b, leave(b, nil), "sample-grace"))
	if shown := signInPage(b, closed); !strings.Contains(shown.Notice, "isn't accepting new accounts") {
		t.Errorf("closed: the page says %q", shown.Notice)
	}
	// The owner of the address signs in once; later the provider suffices.
	link := b.Open(choose(b, leave(b, url.Values{"return_to": {"/reports"}}), "sample-ada"))
	var shown screens.Boot
	b.Boot(b.Open(link.Next()), &shown)
	if shown.Values.Email != "ada@example.test" || shown.ReturnTo != "/reports" || !strings.Contains(shown.Notice, "connect Example ID") {
		t.Fatalf("an address that has an account: %+v", shown)
	}
	cancelled := b.Open(choose(b, leave(b, url.Values{"flow": {shown.Flow.ID}}), "cancel"))
	if kept := signInPage(b, cancelled); kept.Flow.ID != shown.Flow.ID || kept.Values.Email != "ada@example.test" {
		t.Errorf("the identity that waits is lost: %+v", kept)
	}
	leads(b, b.Send("/auth/signin", url.Values{"email": {"ada@example.test"}, "password": {apptest.Password}, "flow": {shown.Flow.ID}}), "/reports")
	b.Send("/auth/signout", nil)

	if err := s.Operator.SetUserState(s.Context(), flow.ByOperator, id, account.DisabledByOperator); err != nil {
		t.Fatal(err)
	}
	disabled := b.Open(choose(b, leave(b, nil), "sample-ada"))
	if shown := signInPage(b, disabled); !strings.Contains(shown.Notice, "is disabled") {
		t.Errorf("disabled: the page says %q", shown.Notice)
	}
	for _, p := range []apptest.Page{closed, disabled} {
		if shown := signInPage(s.Browser(), p); shown.Notice != "" {
			t.Errorf("another browser gets %q", shown.Notice)
		}
	}
	var forged screens.Boot
	b.Boot(b.Open("/auth/signin?failed=account.disabled&provider=example"), &forged)
	if forged.Notice != "" {
		t.Errorf("a link without an attempt says %q", forged.Notice)
	}
}

// A forged response ends no session, and none of its text is shown.
func TestFailures_Forged(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.Person("mara@example.org")
	b := s.Browser()
	b.SignIn("mara@example.org")
	session := b.Cookie("session")
	for _, forged := range []string{
		path + "/callback?error=access_denied&error_description=Call+0123&state=x",
		path + "/callback?code=x&state=%3Cb%3E0123",
		"/auth/provider/b0123/callback?error=server_error",
	} {
		p := b.Open(forged)
		if p.StatusCode != 303 || len(p.Header["Set-Cookie"]) != 0 {
			t.Errorf("%s: answered %d with %v", forged, p.StatusCode, p.Header["Set-Cookie"])
		}
		if page := b.Open(p.Next()); page.StatusCode != 200 || strings.Contains(page.Body, "0123") {
			t.Errorf("%s: the page is %d %s", forged, page.StatusCode, page.Body)
		}
	}
	for _, link := range []string{"failed=Call+0123", "failed=provider.cancelled&provider=0123", "failed=provider.cancelled&return_to=https%3A%2F%2F0123.test"} {
		if page := b.Open("/auth/signin?" + link); strings.Contains(page.Body, "0123") {
			t.Errorf("%s: the page repeats it: %s", link, page.Body)
		}
	}
	if p := b.Open("/auth/account"); p.StatusCode != 200 || b.Cookie("session") != session {
		t.Error("signed out by a forged answer")
	}
}

// Too many attempts are refused, and the page offers another way.
func TestFailures_Limited(t *testing.T) {
	t.Parallel()
	b := setup(t).Browser()
	for range 200 {
		b.Send("/auth/provider/nobody/start", nil)
	}
	p := b.Send(path+"/start", url.Values{"return_to": {"/reports"}})
	var shown screens.Boot
	b.Boot(p, &shown)
	if p.StatusCode != http.StatusTooManyRequests || p.Header.Get("Retry-After") == "" || shown.Next != "/auth/signin?return_to=%2Freports" {
		t.Errorf("answered %d, Retry-After %q, on to %q", p.StatusCode, p.Header.Get("Retry-After"), shown.Next)
	}
}

// deadIssuer returns the URL of a provider that does not listen. The port of a server that was closed
// may soon be that of another test.
func deadIssuer() string { return "http://127.0.0.1:1" }
