package mailer

import (
	"crypto/tls"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
)

// A server that refuses EHLO gets HELO, unless the connection needs what only EHLO offers.
// Then the error quotes the server, and the advice names what helps.
func TestSend_EHLORefused(t *testing.T) {
	t.Parallel()
	secure, roots := certificate(t, time.Now().Add(time.Hour), "127.0.0.1")
	no := func(code int, text string) error {
		return &smtp.SMTPError{Code: code, EnhancedCode: smtp.EnhancedCode{5, 5, 2}, Message: text}
	}
	for name, tt := range map[string]struct {
		security Security
		scheme   string
		user     string
		query    string
		refuse   []error // the answers to the first EHLO and HELO
		want     string  // "" if the email is sent
	}{
		"unknown":          {Plain, "smtp", "", "?tls=none", []error{no(502, "what?")}, ""},
		"504":              {Plain, "smtp", "", "?tls=none", []error{no(504, "need a name")}, ""},
		"500 in TLS":       {ImplicitTLS, "smtps", "", "", []error{no(500, "what?")}, ""},
		"with a login":     {ImplicitTLS, "smtps", "ada:correct%20horse@", "", []error{no(504, "need a name")}, `the server refuses EHLO, without which it has neither STARTTLS nor a login: 504 "5.5.2 need a name"`},
		"with STARTTLS":    {StartTLS, "smtp", "", "", []error{no(504, "need a name")}, `the server refuses EHLO, without which it has neither STARTTLS nor a login: 504 "5.5.2 need a name"`},
		"EHLO and HELO":    {Plain, "smtp", "", "?tls=none", []error{no(504, "need a name"), no(504, "need a name")}, `EHLO response: 504 "5.5.2 need a name"`},
		"the EHLO in TLS":  {StartTLS, "smtp", "", "", []error{nil, no(504, "need a name")}, `hello: 504 "5.5.2 need a name"`},
		"nothing, and TLS": {StartTLS, "smtp", "", "", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var config *tls.Config
			if tt.security != Plain {
				config = secure
			}
			s := newSink(t, tt.security, config, "PLAIN")
			s.mu.Lock()
			s.refuse = tt.refuse
			s.mu.Unlock()
			err := mailerTo(t, serverAt(t, tt.scheme, s.addr, tt.user, tt.query), roots).Send(t.Context(), message("recover", "en"))
			if tt.want == "" {
				if err != nil || len(s.all()) != 1 {
					t.Errorf("%d emails, %v", len(s.all()), err)
				}
				return
			}
			var failure *Error
			if !errors.As(err, &failure) || failure.Step != stepHello || failure.Permanent() || !strings.Contains(err.Error(), tt.want) || len(s.all()) != 0 {
				t.Fatalf("%v", err)
			}
			if !strings.Contains(failure.Advice(), "the host of public_url") {
				t.Errorf("the advice is %q", failure.Advice())
			}
		})
	}
}

// The text of an error, as the outbox keeps it, gives the same advice as the error.
func TestTold(t *testing.T) {
	t.Parallel()
	for key, tt := range map[string]struct{ answer, words string }{
		"rcpt": {"450 greylisted", "refuses the email for now"}, "mail": {"550 no", "refuses the sender"}, ".": {"554 spam", "refuses the email"},
		"greeting": {hangUp, "what answers is no mail server"}, "data": {"451 later", "refuses the email for now"},
	} {
		answer := tt.answer
		var failure *Error
		if err := plainTo(t, newFaulty(t, map[string]string{key: answer}).addr).Send(t.Context(), message("recover", "en")); !errors.As(err, &failure) {
			t.Fatalf("%v", err)
		}
		told := Told(failure.Error())
		if told.Words() != failure.Words() || !strings.HasSuffix(told.Words(), tt.words) {
			t.Errorf("%v is %q, and told %q", failure, failure.Words(), told.Words())
		}
		if told.Step != failure.Step || told.Code != failure.Code || told.Advice() != failure.Advice() || told.Deferred() != (answer[0] == '4') || told.Advice() == "" {
			t.Errorf("%v is told as %v", failure, told)
		}
	}
	if other := Told("the process ended twice during the delivery"); other.Words()+other.Advice() != "" || other.Deferred() {
		t.Errorf("%v has the words %q and the advice %q", other, other.Words(), other.Advice())
	}
	if full := Told("greeting: 421 too many connections"); full.Words() != "the mail server refuses the connection" || !strings.HasPrefix(full.Advice(), "ask who runs") {
		t.Errorf("%v is %q, with the advice %q", full, full.Words(), full.Advice())
	}
	if broke := Told("sender: EOF"); broke.Words() != "the connection to the mail server broke" {
		t.Errorf("%v is %q", broke, broke.Words())
	}
}
