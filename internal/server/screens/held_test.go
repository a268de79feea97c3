package screens_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/internal/apptest"
)

// If a mailbox has reached its limit of emails, the page says so and until
// when, whether or not the address has an account.
func TestVerifyCode_SaysThatNoMailWasSent(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	s.Person("mara@example.org")
	var told [2]string
	for i, address := range []string{"mara@example.org", "nobody@example.org"} {
		s.Clock.Advance(2 * time.Hour)
		var v visitor
		next := ""
		for range 5 { // the limit of one network is four; a browser that has a code keeps it
			v = visit(s)
			next = v.Send("/auth/forgot-password", url.Values{"email": {address}}).Next()
		}
		b := v.opens(next)
		if b.Flow.State != "held" || b.Flow.SentAt != 0 || b.Flow.ResendAt != b.Flow.Now+3600 || b.Errors.RetryAfter != 3600 || b.Status != 200 {
			t.Errorf("%s: %+v", address, b.Flow)
		}
		_, id, _ := strings.Cut(next, "flow=")
		p := v.Send("/auth/verify-code/resend", url.Values{"flow": {id}})
		if again := v.reads(p); p.StatusCode != 429 || again.Errors.Code != "code.held" || again.Errors.Form != b.Errors.Form {
			t.Errorf("%s: Resend got status %d, %+v", address, p.StatusCode, again.Errors)
		}
		told[i] = b.Errors.Form
		v.Header.Set("Accept-Language", "de")
		if german := v.opens(next).Errors.Form; !strings.HasPrefix(german, "Wir haben zu viele E-Mails") || !strings.Contains(german, "60 Minuten") {
			t.Errorf("in German %q", german)
		}
	}
	if told[0] != told[1] || !strings.HasPrefix(told[0], "We've sent too many emails") || !strings.Contains(told[0], "60 minutes") {
		t.Errorf("with an account %q, without one %q", told[0], told[1])
	}
}

// A form without script sends Retry-After with the same time as in its message.
func TestForm_SaysWhenToTryAgain(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	v := visit(s)
	_, id, _ := strings.Cut(v.Send("/auth/forgot-password", url.Values{"email": {"mara@example.org"}}).Next(), "flow=")
	p := v.Send("/auth/verify-code/resend", url.Values{"flow": {id}})
	if p.StatusCode != 429 || p.Header.Get("Retry-After") != "30" {
		t.Errorf("answered %d, Retry-After %q, want 429 and 30", p.StatusCode, p.Header.Get("Retry-After"))
	}
}

// A new flow, after the guesses of the old one, whose email is held back says that alone.
func TestResend_HeldAnnouncesNoCode(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	for path, address := range map[string]string{"/auth/verify-code/resend": "mara@example.org", "/auth/api/resend": "noor@example.org"} {
		v := visit(s)
		_, id, _ := strings.Cut(signUp(v, address), "flow=")
		wrong := "000000"
		if s.NextMail().Data["code"] == wrong {
			wrong = "000001"
		}
		for range 5 {
			v.Send("/auth/verify-code", url.Values{"flow": {id}, "code": {wrong}})
		}
		for range 4 {
			visit(s).Send("/auth/forgot-password", url.Values{"email": {address}})
		}
		s.Clock.Advance(31 * time.Second)
		v.Send(path, url.Values{"flow": {id}})
		next := v.Open("/auth/verify-code").Next()
		if b := v.opens(next); b.Flow.State != "held" || b.Flow.ID == id || b.Success != "" {
			t.Errorf("%s: the page is %+v and says %q", path, b.Flow, b.Success)
		}
		s.Clock.Advance(2 * time.Hour)
	}
}
