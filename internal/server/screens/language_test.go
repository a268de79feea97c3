package screens_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// The menu's choice goes before the languages of the browser, on every page, and
// the page that it leads back to keeps its query.
func TestLanguageMenu(t *testing.T) {
	t.Parallel()
	_, member := person(t)
	member.Header.Set("Accept-Language", "de")
	const page = "/auth/signup?return_to=%2Freports"
	b := member.opens(page)
	if len(b.Locales) < 5 || b.Locales[0].ID != "en" || b.Locales[0].Name != "English" || b.Here != page {
		t.Fatalf("the menu has %v and leads back to %q", b.Locales, b.Here)
	}
	member.leads(member.Send("/auth/language", url.Values{"locale": {"fr"}, "to": {b.Here}}), page)
	for _, path := range []string{"/auth/signin", "/auth/forgot-password", "/auth/nothing", "/auth/account", page} {
		if b := member.opens(path); b.Locale != "fr" {
			t.Errorf("%s is in %s", path, b.Locale)
		}
	}
	if b := member.opens("/auth/forgot-password"); b.Here != "/auth/forgot-password" {
		t.Errorf("the menu leads back to %q", b.Here)
	}
	if p := member.Send("/auth/language", url.Values{"locale": {"xx"}, "to": {page}}); p.StatusCode != http.StatusBadRequest && p.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("an unknown language: %d", p.StatusCode)
	}
	long := "/auth/openid/authorize?state=" + strings.Repeat("x", 6<<10)
	member.leads(member.Send("/auth/language", url.Values{"locale": {"fr"}, "to": {long}}), long)
	for _, to := range []string{"", "https://evil.test/", "/reports?" + strings.Repeat("x", 6<<10), long + strings.Repeat("x", 2<<10), "//evil.test", "/\\evil.test", "/auth/../x", "javascript:alert(1)"} {
		member.leads(member.Send("/auth/language", url.Values{"locale": {"fr"}, "to": {to}}), "/auth/signin")
	}
}

// The answer to a form has the page of the form.
func TestLanguageMenu_AfterAForm(t *testing.T) {
	t.Parallel()
	_, member := person(t)
	b := member.reads(member.Send("/auth/signup", url.Values{"email": {"no"}, "password": {"x"}, "confirm_password": {"y"}, "return_to": {"/reports"}}))
	if b.Here != "/auth/signup?return_to=%2Freports" {
		t.Errorf("the menu leads back to %q", b.Here)
	}
}
