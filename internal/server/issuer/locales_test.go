package issuer_test

import (
	"net/url"
	"strings"
	"testing"

	"portico/internal/apptest"
)

func localeOf(b *apptest.Browser, p apptest.Page) string {
	var page struct{ Locale string }
	b.Boot(p, &page)
	return page.Locale
}

// The pages of a sign-in have the language that the app asks for, unless the visitor has
// chosen another one.
func TestAuthorize_Locales(t *testing.T) {
	t.Parallel()
	s := start(t)
	speaks := func(what string, p apptest.Page, want string) {
		t.Helper()
		if got := localeOf(s.Browser(), p); got != want {
			t.Errorf("%s: %d in %s, want %s", what, p.StatusCode, got, want)
		}
	}
	page := func(b *apptest.Browser, locales string) apptest.Page {
		t.Helper()
		return b.Open(b.Open(authorize(ask("ui_locales", locales))).Next())
	}
	for locales, want := range map[string]string{"de": "de", "se fr-CA en": "fr", "x y-z": "en", "se": "en", "AR": "ar", strings.Repeat("se ", 30) + "de": "en", "../de": "en"} {
		speaks(locales, page(s.Browser(), locales), want)
	}
	b := s.Browser()
	page(b, "es")
	speaks("another page", b.Open("/auth/forgot-password"), "es")
	speaks("an error", b.Send("/auth/signin", url.Values{"email": {"mara@example.org"}, "password": {"wrong"}}), "es")
	speaks("a request without a wish", page(b, ""), "en")
	speaks("after it", b.Open("/auth/signin"), "en")
	page(b, "es")
	b.Send("/auth/language", url.Values{"locale": {"de"}, "to": {"/auth/signin"}})
	speaks("a choice of the visitor", page(b, "fr"), "de")
	broken := s.Browser()
	broken.Open(authorize(ask("ui_locales", "fr", "redirect_uri", "https://evil.test/")))
	speaks("a request that is refused", broken.Open("/auth/signin"), "en")
}

// A page that answers the request itself has the language too, and the account keeps its own.
func TestConsent_Locale(t *testing.T) {
	t.Parallel()
	s := startAsking(t, nil)
	b := s.signedIn("mara@example.org")
	if p := b.Open(authorize(ask("ui_locales", "de"))); localeOf(b, p) != "de" {
		t.Errorf("%d in %s", p.StatusCode, localeOf(b, p))
	}
	a, err := s.Operator.User(t.Context(), "mara@example.org")
	if err != nil || a.Locale == "de" {
		t.Errorf("the language of the account is %q, %v", a.Locale, err)
	}
}
