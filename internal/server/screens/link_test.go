package screens_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/internal/apptest"
	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/outbox"
	"portico/internal/server/screens"
)

// replaced returns a visitor and a mailed link that two newer emails replaced,
// the last one four minutes ago.
func replaced(t *testing.T) (visitor, string) {
	t.Helper()
	s := apptest.Start(t, func(c *config.Config) { c.MailFrom = "Portico <no-reply@example.org>" })
	v := visit(s)
	p := v.Send("/auth/signup", url.Values{"email": {"mara@example.org"}, "password": {apptest.Password}, "confirm_password": {apptest.Password}})
	link := mailedLink(s, s.NextMail())
	_, flow, _ := strings.Cut(p.Next(), "flow=")
	for range 2 {
		s.Clock.Advance(31 * time.Second)
		v.leads(v.Send("/auth/verify-code/resend", url.Values{"flow": {flow}}), p.Next())
	}
	s.Clock.Advance(4 * time.Minute)
	if b := v.opens(p.Next()); b.Sender != "no-reply@example.org" {
		t.Errorf("the email is said to come from %q", b.Sender)
	}
	return v, link
}

// mailedLink returns the link of an email with the site's own origin.
func mailedLink(s *apptest.Site, m outbox.Message) string {
	return strings.TrimPrefix(m.Data["link"], s.Origin)
}

func TestConfirmLink_SaysHowOldTheNewestMailIs(t *testing.T) {
	t.Parallel()
	v, link := replaced(t)
	v.leads(v.Open(link), "/auth/confirm-link")
	if b := v.opens("/auth/confirm-link"); b.Link.State != "replaced" || b.Link.Age != "4 minutes" || b.Link.Email != "mara@example.org" {
		t.Errorf("the link is %+v", b.Link)
	}
	b := v.reads(v.Send("/auth/confirm-link", nil))
	if b.Link.Age != "4 minutes" || b.Errors.Form == "" || strings.Contains(b.Errors.Form, "{") {
		t.Errorf("pressed, the link is %+v, the words are %q", b.Link, b.Errors.Form)
	}
	v.Header.Set("Accept-Language", "de")
	if b := v.opens("/auth/confirm-link"); b.Link.Age != "4 Minuten" {
		t.Errorf("in German %q", b.Link.Age)
	}
}

// The link of a reset is opened on another device. The page that waits can begin anew
// with the same address, and no other browser learns it. Once the password is chosen there, it says so.
func TestVerifyCode_RecoveryGoesOnElsewhere(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	s.Person("mara@example.org")
	v := visit(s)
	waits := v.Send("/auth/forgot-password", url.Values{"email": {"mara@example.org"}, "return_to": {"/reports"}}).Next()
	phone := visit(s)
	phone.Open(mailedLink(s, s.NextMail()))
	next := phone.Send("/auth/confirm-link", nil).Next()
	if !strings.HasPrefix(next, "/auth/reset-password") {
		t.Fatalf("the phone goes to %s", next)
	}
	b := v.opens(waits)
	if b.Flow.State != "elsewhere" || b.Flow.Kind != "recovery" || b.Flow.Next != "/reports" {
		t.Errorf("the page that waits is %+v", b.Flow)
	}
	if again := v.opens("/auth/forgot-password?flow=" + b.Flow.ID); again.Values.Email != "mara@example.org" {
		t.Errorf("the new beginning has the address %q", again.Values.Email)
	}
	if other := visit(s).opens("/auth/forgot-password?flow=" + b.Flow.ID); other.Values.Email != "" {
		t.Errorf("another browser learns the address %q", other.Values.Email)
	}
	const chosen = "quite another phrase 42"
	phone.Send("/auth/reset-password", url.Values{"flow": {phone.opens(next).Flow.ID}, "password": {"short"}, "confirm_password": {"short"}})
	if b = v.opens(waits); b.Flow.State != "elsewhere" {
		t.Errorf("after a password that was refused it is %+v", b.Flow)
	}
	phone.leads(phone.Send("/auth/reset-password", url.Values{"flow": {phone.opens(next).Flow.ID}, "password": {chosen}, "confirm_password": {chosen}}), "/reports")
	if b = v.opens(waits); b.Flow.State != "done" || b.Flow.Next != "/reports" {
		t.Errorf("after the new password it is %+v", b.Flow)
	}
}

// The link of an invitation that has ended says so where anybody may sign up, and leads there.
func TestConfirmLink_InvitationOver(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string][3]string{
		"open":     {"This invitation has ended", "/auth/signup", "/auth/signin"},
		"approved": {"This invitation has ended", "/auth/signup", "/auth/signin"},
		"invited":  {"You need an invitation", "/auth/signin", ""},
	} {
		s := apptest.Start(t, func(c *config.Config) { c.SignUp.Mode = mode })
		link, err := s.Operator.InviteMany(t.Context(), flow.ByOperator, flow.Draft{Uses: 1, EndsAt: s.Clock.Now().Add(time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		v := visit(s)
		form := v.Open(v.Open(strings.TrimPrefix(link, s.Origin)).Next()).Next()
		typed := url.Values{
			"email": {"mara@example.org"}, "password": {apptest.Password}, "confirm_password": {apptest.Password}, "link": {v.opens(form).Link.Mark},
		}
		_, id, _ := strings.Cut(v.Send("/auth/signup", typed).Next(), "flow=")
		code := mailedCode(s)
		s.Clock.Advance(time.Minute)
		list, err := s.Operator.Invitations(t.Context(), "", "", 1)
		if err == nil {
			err = s.Operator.EndInvitation(t.Context(), flow.ByOperator, list.Items[0].ID)
		}
		if err != nil {
			t.Fatal(err)
		}
		for what, b := range map[string]screens.Boot{
			"the link": v.opens("/auth/confirm-link"),
			"the code": v.reads(v.Send("/auth/verify-code", url.Values{"flow": {id}, "code": {code}})),
		} {
			if got := [3]string{b.Title, b.Next, b.Back}; got != want || b.Screen != "error" || b.Status != 403 {
				t.Errorf("%s: %s shows %s with %q, want %q", mode, what, b.Screen, got, want)
			}
		}
		if b := v.reads(v.Send("/auth/signup", typed)); b.Screen != "signup" || b.Status != 403 || b.Link.Mark != "" || b.Values.Email != "mara@example.org" {
			t.Errorf("%s: the form leads to %s, %d, with the link %q and the address %q", mode, b.Screen, b.Status, b.Link.Mark, b.Values.Email)
		}
	}
}
