package screens_test

import (
	"net/url"
	"strings"
	"testing"

	"portico/internal/apptest"
)

const needed = "blocked the sign-in cookie"

// A browser that refuses cookies returns to the sign-in form with that page as
// its Referer. The page then says that signing in requires cookies.
func TestCookiesBlocked_SignIn(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	s.Person("mara@example.org")
	form := url.Values{"email": {"mara@example.org"}, "password": {apptest.Password}}
	from := s.Origin + "/auth/signin"
	p := visit(s).Send("/auth/signin", form)

	blocked := visit(s) // has no cookies of that response
	blocked.Header.Set("Referer", from)
	p = blocked.Open(p.Next())
	blocked.leads(p, toAccount)
	if b := blocked.opens(p.Next()); !strings.Contains(b.Notice, needed) || b.ReturnTo != "/auth/account" {
		t.Errorf("said %q", b.Notice)
	}

	keeps := visit(s)
	keeps.Send("/auth/signin", form)
	keeps.Header.Set("Referer", from)
	for why, b := range map[string]visitor{"signed in": keeps, "led here by the app": visit(s), "by a page of its own": visit(s)} {
		if why == "by a page of its own" {
			b.Header.Set("Referer", "https://app.test/auth/signin")
		}
		if got := b.opens(toAccount).Notice; got != "" {
			t.Errorf("%s: said %q", why, got)
		}
	}
}

// The same holds for a step that a cookie identifies. A browser with any cookie
// gets the general message.
func TestCookiesBlocked_Steps(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	next := visit(s).Send("/auth/forgot-password", url.Values{"email": {"mara@example.org"}}).Next()
	elsewhere := visit(s)
	elsewhere.Send("/auth/forgot-password", url.Values{"email": {"lea@example.org"}})
	for v, want := range map[visitor]bool{visit(s): true, elsewhere: false} {
		if b := v.opens(next); strings.Contains(b.Detail, "blocks cookies") != want || b.Errors.Code != "flow.unknown" {
			t.Errorf("the code: said %q", b.Detail)
		}
		if b := v.opens("/auth/error?code=flow.unknown"); strings.Contains(b.Detail, "blocks cookies") != want {
			t.Errorf("a provider's answer: said %q", b.Detail)
		}
	}
}

// A step that has ended shows no button, says so and offers a way on. This also
// holds for a form sent without script.
func TestStepOver_LeadsOn(t *testing.T) {
	t.Parallel()
	v := visit(apptest.Start(t))
	over := v.Send("/auth/verify-code", url.Values{"flow": {"x"}, "code": {"123456"}})
	for how, p := range map[string]apptest.Page{"opened": v.Open("/auth/verify-code?flow=x"), "pressed": over} {
		b := v.reads(p)
		if p.StatusCode != 404 || b.Screen != "error" || b.Errors.Code != "flow.unknown" || b.Next != "/auth/signin" || b.NextLabel != "Start again" {
			t.Errorf("%s: %d %s, leads to %q", how, p.StatusCode, b.Screen, b.Next)
		}
	}
}
