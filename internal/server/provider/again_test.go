package provider_test

import (
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/internal/apptest"
	"portico/internal/config"
	"portico/internal/server/screens"
)

// guarded runs a site with an app that requires a sign-in within the last
// minute.
func guarded(t *testing.T, changes ...func(*config.Config)) *apptest.Site {
	t.Helper()
	app := httptest.NewServer(nil) // responds with 404
	t.Cleanup(app.Close)
	return setup(t, append(changes, func(c *config.Config) {
		c.App.Upstream, _ = url.Parse(app.URL)
		c.App.Rules = []string{"fresh:1m /admin/*", "signed-in /*"}
	})...)
}

// at opens the guarded page and returns the data of the sign-in page, or nil if
// the app responds.
func at(b *apptest.Browser) *screens.Boot {
	b.Helper()
	p := b.Open("/admin/users")
	if p.StatusCode == 404 {
		return nil
	}
	leads(b, p, "/auth/signin?again=1&return_to=%2Fadmin%2Fusers")
	shown := &screens.Boot{}
	b.Boot(b.Open(p.Next()), shown)
	return shown
}

// press submits the button of a provider as the page shows it.
func press(b *apptest.Browser, provider string, shown *screens.Boot) apptest.Page {
	b.Helper()
	return b.Send("/auth/provider/"+provider+"/start", url.Values{"return_to": {shown.ReturnTo}, "again": {shown.Again}})
}

// away returns the URL that the page redirects the browser to.
func away(b *apptest.Browser, p apptest.Page) *url.URL {
	b.Helper()
	u, found := goesTo(p)
	if !found {
		b.Fatalf("not sent away, but %d to %q", p.StatusCode, p.Next())
	}
	return u
}

// If an app requires a recent sign-in, the provider must ask the user again and
// prove it. A provider that answers without asking does not open the page.
func TestFresh(t *testing.T) {
	t.Parallel()
	s := guarded(t)
	b := s.Browser()
	request := leave(b, nil)
	if request.Query().Has("prompt") || request.Query().Has("max_age") {
		t.Errorf("an ordinary sign-in asks for %v", request.Query())
	}
	callback := chooseWith(b, request, url.Values{"choice": {"sample-ada"}, "stay": {"yes"}})
	b.Open(callback)
	if at(b) != nil {
		t.Fatal("a proof of a moment ago is not enough")
	}
	s.Clock.Advance(61 * time.Second)
	shown := at(b)
	if shown == nil || shown.Again != "yes" || shown.Session.Email != "" || shown.Values.Email != "ada@example.test" {
		t.Fatalf("after a minute: %+v", shown)
	}

	// Signing in again without being asked does not help.
	p := b.Open(silently(b, leave(b, nil)))
	if p.StatusCode != 303 {
		t.Fatalf("the silent answer: %d %s", p.StatusCode, p.Body)
	}
	if shown = at(b); shown == nil {
		t.Fatal("a silent sign-in opens the page")
	}

	// The button on the page requests a new proof, and that proof opens the
	// app.
	request = away(b, press(b, "example", shown))
	if q := request.Query(); q.Get("prompt") != "login" || q.Get("max_age") != "0" {
		t.Errorf("the request to the provider has %v", q)
	}
	if asked := b.Open(request.String()); !strings.Contains(asked.Body, "Choose an account") {
		t.Errorf("the response is %d to %q", asked.StatusCode, asked.Next())
	}
	leads(b, b.Open(choose(b, request, "sample-ada")), "/admin/users")
	if at(b) != nil {
		t.Error("the new proof does not open the page")
	}
}

// If a provider does not confirm the proof, the visitor gets a page that says
// so, once and without a loop. The earlier session stays.
func TestFresh_NotConfirmed(t *testing.T) {
	t.Parallel()
	s := guarded(t)
	s.Person("mara@example.org")
	b := s.Browser()
	b.SignIn("mara@example.org")
	link := b.Open(chooseWith(b, leave(b, nil), url.Values{"choice": {"typed"}, "email": {"mara@example.org"}, "verified": {"yes"}, "stay": {"yes"}}))
	u, _ := url.Parse(link.Next())
	b.Send("/auth/signin", url.Values{"email": {"mara@example.org"}, "password": {apptest.Password}, "flow": {u.Query().Get("flow")}})
	s.Clock.Advance(time.Hour)
	session := b.Cookie("session")

	shown := at(b)
	request := away(b, press(b, "example", shown))
	q := request.Query()
	q.Del("prompt") // a provider that ignores prompt
	q.Del("max_age")
	request.RawQuery = q.Encode()
	again := signInPage(b, b.Open(silently(b, request)))
	if !strings.Contains(again.Notice, "Enter your password instead") || again.Again != "yes" || again.ReturnTo != "/admin/users" || b.Cookie("session") != session {
		t.Errorf("not confirmed: %+v", again)
	}

	// A provider that cannot prove the time of a sign-in is not asked at all.
	again = signInPage(b, press(b, "github", shown))
	if !strings.HasPrefix(again.Notice, "GitHub can't confirm") || !strings.Contains(again.Notice, "Enter your password instead") || again.Again != "yes" {
		t.Errorf("never tells: %+v", again)
	}
	leads(b, b.Send("/auth/signin", url.Values{"email": {"mara@example.org"}, "password": {apptest.Password}, "return_to": {again.ReturnTo}}), "/admin/users")
	if at(b) != nil {
		t.Error("the password does not open the page")
	}
}

// An account without a password, whose provider tells the time, signs in there again.
func TestFresh_NoPassword(t *testing.T) {
	t.Parallel()
	s := guarded(t)
	b := s.Browser()
	b.Open(choose(b, leave(b, nil), "sample-ada"))
	s.Clock.Advance(time.Hour)
	if again := signInPage(b, press(b, "github", at(b))); !strings.Contains(again.Notice, "your account has no password") {
		t.Errorf("the page says %q", again.Notice)
	}
}

// If the only provider never tells the time, the page leads to a first password by
// email.
func TestFresh_FirstPassword(t *testing.T) {
	t.Parallel()
	s := guarded(t, func(c *config.Config) { c.Providers[0].Preset = "forgejo" })
	b := s.Browser()
	b.Open(choose(b, leave(b, nil), "sample-ada"))
	again := signInPage(b, press(b, "example", at(b)))
	if !strings.Contains(again.Notice, `Choose “Forgot your password?”`) {
		t.Errorf("the page says %q", again.Notice)
	}
}
