package screens_test

import (
	"net/url"
	"strings"
	"testing"

	"portico/internal/apptest"
	"portico/internal/server/screens"
)

// guesses sends five wrong codes for the address from a new browser.
func guesses(t *testing.T, s *apptest.Site, email string) {
	t.Helper()
	v := visit(s)
	_, id, _ := strings.Cut(signUp(v, email), "flow=")
	wrong := "000000"
	if s.NextMail().Data["code"] == wrong {
		wrong = "000001"
	}
	for range 5 {
		v.Send("/auth/verify-code", url.Values{"flow": {id}, "code": {wrong}})
	}
}

// While the codes of an address are locked, the page names the link, which
// still works, and until when the codes are locked.
func TestVerifyCode_LockedNamesTheLink(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	const email = "mara@example.org"
	guesses(t, s, email)
	guesses(t, s, email)
	v := visit(s)
	waits := signUp(v, email)
	_, id, _ := strings.Cut(waits, "flow=")
	mail := s.NextMail()
	said := func(what string, b screens.Boot, status int) {
		t.Helper()
		const want = "Too many wrong codes. Use the link in the email instead, or try again in 60 minutes."
		if b.Errors.Form != want || b.Errors.Code != "code.locked" || b.Errors.RetryAfter != 3600 || b.Status != status || b.Flow.State != "code" {
			t.Errorf("%s: %d, %s, %+v", what, b.Status, b.Flow.State, b.Errors)
		}
	}
	said("the page", v.opens(waits), 200)
	said("the right code", v.reads(v.Send("/auth/verify-code", url.Values{"flow": {id}, "code": {mail.Data["code"]}})), 429)
	v.Header.Set("Accept-Language", "de")
	if b := v.opens(waits); b.Errors.Form != "Zu viele falsche Codes. Benutzen Sie den Link in der E-Mail oder versuchen Sie es in 60 Minuten erneut." {
		t.Errorf("in German: %q", b.Errors.Form)
	}
	v.Open(mailedLink(s, mail))
	v.leads(v.Send("/auth/confirm-link", nil), "/auth/account")
}

// After five wrong passwords for a link, the page names the way that works, and
// no wait that outlasts the link.
func TestConfirmLink_LockedNamesTheOtherWay(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	signUp(visit(s), "mara@example.org")
	v := visit(s)
	v.Open(mailedLink(s, s.NextMail()))
	for range 5 {
		v.Send("/auth/confirm-link", url.Values{"password": {"not the password"}})
	}
	p := v.Send("/auth/confirm-link", url.Values{"password": {apptest.Password}})
	const want = "Too many wrong passwords. Confirm your address below and choose a password instead."
	if b := v.reads(p); b.Status != 429 || b.Errors.Form != want || b.Errors.RetryAfter != 0 || b.Link.State != "password" {
		t.Errorf("%d, %s, %+v", b.Status, b.Link.State, b.Errors)
	}
	next := v.Send("/auth/confirm-link/anew", url.Values{}).Next()
	if b := v.opens(next); b.Screen != "reset-password" || b.Flow.Kind != "signup" {
		t.Errorf("the other way leads to %s, %+v", b.Screen, b.Flow)
	}
	_, id, _ := strings.Cut(next, "flow=")
	v.leads(v.Send("/auth/reset-password", url.Values{"flow": {id}, "password": {"tram lemon kite"}, "confirm_password": {"tram lemon kite"}}), "/auth/account")
	if b := v.opens("/auth/account"); b.Success != "You're verified. Your account is ready." {
		t.Errorf("the account page says %q", b.Success)
	}
}
