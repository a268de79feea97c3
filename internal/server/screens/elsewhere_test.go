package screens_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/internal/server/screens"
)

// The link for a new address, opened in another browser, leads on: to the account of the user who is
// signed in there, and anybody else to the sign-in.
func TestConfirmLink_Elsewhere(t *testing.T) {
	t.Parallel()
	s, v := person(t)
	account := v.opens("/auth/account/addresses").Session.ID
	_, id, _ := strings.Cut(v.Send("/auth/account/addresses", url.Values{"account": {account}, "email": {"new@example.org"}}).Next(), "flow=")
	link := ""
	for !strings.Contains(link, "token=") {
		link = mailedLink(s, s.NextMail())
	}
	phone, signedIn := visit(s), visit(s)
	signedIn.SignIn("mara@example.org")
	lead := func(when string, status int) {
		t.Helper()
		for name, test := range map[string]struct {
			visitor
			next, label string
		}{
			"signed out": {phone, "/auth/signin", "Go to sign in"},
			"signed in":  {signedIn, "/auth/account", "Go to your account"},
		} {
			opened, pressed := test.opens(test.Open(link).Next()), test.reads(test.Send("/auth/confirm-link", nil))
			for _, b := range []screens.Boot{opened, pressed} {
				if b.Link.State != "elsewhere" || b.Next != test.next || b.NextLabel != test.label {
					t.Errorf("%s, %s: the link is %s, and leads to %s, %q", name, when, b.Link.State, b.Next, b.NextLabel)
				}
			}
			if opened.Status != status {
				t.Errorf("%s, %s: status %d", name, when, opened.Status)
			}
		}
	}
	lead("while it works", 200)
	s.Clock.Advance(11 * time.Minute)
	lead("after it has expired", 410) // this browser gets no other one
	s.Clock.Advance(time.Minute)
	v.Send("/auth/verify-code/resend", url.Values{"flow": {id}})
	v.Send("/auth/verify-code", url.Values{"flow": {id}, "code": {mailedCode(s)}})
	if b := phone.opens("/auth/confirm-link"); b.Link.State != "used" {
		t.Errorf("after the other code: %s", b.Link.State)
	}
}
