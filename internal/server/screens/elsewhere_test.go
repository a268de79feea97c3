package screens_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/internal/apptest"
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

// After a sign-up was confirmed in another browser, the one that began it signs in with its address.
func TestVerifyCode_ConfirmedElsewhere(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	v, phone := visit(s), visit(s)
	waits := v.Send("/auth/signup", url.Values{
		"email": {"mara@example.org"}, "password": {apptest.Password}, "confirm_password": {apptest.Password}, "return_to": {"/reports"},
	}).Next()
	mark := phone.opens(phone.Open(mailedLink(s, s.NextMail())).Next()).Link.Mark
	phone.leads(phone.Send("/auth/confirm-link", url.Values{"link": {mark}, "password": {apptest.Password}}), "/reports")
	done := v.opens(waits).Flow
	signIn := "/auth/signin?flow=" + done.ID
	if b := v.opens(signIn); done.State != "done" || b.Values.Email != "mara@example.org" || b.ReturnTo != "/reports" || b.Flow.ID != "" || b.Notice != "" {
		t.Errorf("%s: the sign-in page has %q, leads to %q and says %q, for the flow %q", done.State, b.Values.Email, b.ReturnTo, b.Notice, b.Flow.ID)
	}
	if b := phone.opens(signIn); b.Values.Email != "" {
		t.Errorf("another browser reads %q", b.Values.Email)
	}
}
