package security

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// A visitor who causes an email to another user's account must not choose its
// language.
func TestSEC210_StrangersDoNotChooseTheLanguageOfMails(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	victim := fresh("victim")
	owner := s.visitor()
	owner.verify(owner.signUp(victim, good), s.mail.code(victim)).must(200)

	attacker := s.visitor()
	attacker.header.Set("Accept-Language", "de")
	attacker.signUp(victim, other)
	attacker.forgot(victim)
	for range 5 {
		attacker.signIn(victim, "wrong")
	}
	s.settle()                   // otherwise an email that is on its way is sent again after the jump
	s.clock.Advance(time.Minute) // the wait after wrong passwords
	thief := s.visitor()
	thief.header.Set("Accept-Language", "de")
	thief.signIn(victim, good).must(200)
	s.settle()
	all := s.mail.to(victim)[1:]
	if len(all) != 4 {
		t.Errorf("%d emails were caused, want 4: registered already, reset, wrong passwords, new browser", len(all))
	}
	for _, l := range all {
		if text, _ := l.bodies(t); strings.Contains(text, "automatisch versendet") || !strings.Contains(text, "automated email") {
			t.Errorf("an account that was made in English is written to in another language:\n%s", text)
		}
	}
	// Without an account, the language of the request is used.
	nobody := fresh("nobody")
	attacker.forgot(nobody)
	if text, _ := s.mail.next(nobody).bodies(t); !strings.Contains(text, "automatisch versendet") {
		t.Errorf("a German browser without an account gets:\n%s", text)
	}
}

// Another site must not choose the language of a user's pages and emails, and the
// menu must not lead to another site.
func TestSEC234_OtherSitesDoNotChooseTheLanguage(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	victim := fresh("victim")
	owner := s.visitor().register(victim)
	const formType = "application/x-www-form-urlencoded"
	form := url.Values{"locale": {"de"}, "to": {"//evil.test/"}}.Encode()
	for name, header := range map[string]http.Header{
		"a foreign page":    {"Origin": {"https://evil.test"}, "Sec-Fetch-Site": {"cross-site"}, "Content-Type": {formType}},
		"a sandboxed frame": {"Origin": {"null"}, "Sec-Fetch-Site": {"cross-site"}, "Content-Type": {formType}},
		"a sibling":         {"Origin": {"https://sub.portico.test"}, "Sec-Fetch-Site": {"same-site"}, "Content-Type": {formType}},
	} {
		if a := owner.do("POST", "/auth/language", form, header); a.status != http.StatusForbidden || a.header.Get("Set-Cookie") != "" {
			t.Errorf("%s: %d, %q", name, a.status, a.header.Get("Set-Cookie"))
		}
	}
	for _, target := range []string{"/auth/language?locale=de", "/auth/signin?locale=de&lang=de"} {
		if a := owner.do("GET", target, "", nil); strings.Contains(a.header.Get("Set-Cookie"), "locale=") {
			t.Errorf("a link sets the language: %s", target)
		}
	}
	s.visitor().forgot(victim)
	if text, _ := s.mail.next(victim).bodies(t); !strings.Contains(text, "automated email") {
		t.Errorf("another site chose the language of emails:\n%s", text)
	}

	own := http.Header{"Origin": {"https://portico.test"}, "Sec-Fetch-Site": {"same-origin"}, "Content-Type": {formType}}
	for _, to := range []string{"//evil.test/", "/\\evil.test", "https://evil.test/", "/auth//evil.test", "javascript:alert(1)", "/\t/evil.test"} {
		a := owner.do("POST", "/auth/language", url.Values{"locale": {"de"}, "to": {to}}.Encode(), own)
		if a.status != http.StatusSeeOther || a.header.Get("Location") != "/auth/signin" {
			t.Errorf("the menu leads to %q: %d", a.header.Get("Location"), a.status)
		}
	}
	s.visitor().forgot(victim)
	if text, _ := s.mail.next(victim).bodies(t); !strings.Contains(text, "automatisch versendet") {
		t.Errorf("the choice of the user does not hold for emails:\n%s", text)
	}
}
