package security

import (
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
