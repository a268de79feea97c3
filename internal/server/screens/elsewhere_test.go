package screens_test

import (
	"net/url"
	"strings"
	"testing"
)

// The link for a new address, opened in another browser, leads on: to the account of the user who is
// signed in there, and anybody else to the sign-in.
func TestConfirmLink_Elsewhere(t *testing.T) {
	t.Parallel()
	s, v := person(t)
	account := v.opens("/auth/account/addresses").Session.ID
	v.Send("/auth/account/addresses", url.Values{"account": {account}, "email": {"new@example.org"}})
	link := ""
	for !strings.Contains(link, "token=") {
		link = mailedLink(s, s.NextMail())
	}
	phone, signedIn := visit(s), visit(s)
	signedIn.SignIn("mara@example.org")
	for name, test := range map[string]struct {
		visitor
		next, label string
	}{
		"signed out": {phone, "/auth/signin", "Go to sign in"},
		"signed in":  {signedIn, "/auth/account", "Go to your account"},
	} {
		b := test.opens(test.Open(link).Next())
		if b.Link.State != "elsewhere" || b.Next != test.next || b.NextLabel != test.label {
			t.Errorf("%s: the link is %s, and leads to %s, %q", name, b.Link.State, b.Next, b.NextLabel)
		}
	}
}
