package mailer

import (
	"errors"
	"fmt"
	"net/textproto"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Error says at which step an email failed, and how the outbox should react.
type Error struct {
	// Step is the step of the dialogue: compose, connect, tls, greeting, hello,
	// login, sender, recipient, data, content or accept.
	Step string

	// Code is the reply code of the server, or 0 without a reply.
	Code int

	permanent bool
	uncertain bool
	cause     error
}

// Error returns one line of limited length, for the log and the operator. It
// can contain the server's reply. It never contains a secret or the content of
// the email.
func (e *Error) Error() string {
	return fmt.Sprintf("%s: %s", e.Step, clean(e.cause.Error(), errorLimit))
}

func (e *Error) Unwrap() error { return e.cause }

// Permanent reports whether a retry is useless: the recipient or the content
// was refused, or the email could not be written. A refusal that concerns the
// server as a whole (no TLS, wrong password, sender or relay not allowed) is not
// permanent, because the operator can fix it while the email waits.
func (e *Error) Permanent() bool { return e.permanent }

// Refused reports whether the server refused this email for good, by its recipient
// or its content.
func (e *Error) Refused() bool { return e.permanent && e.Code >= 500 }

// Uncertain reports whether the server may have accepted the email: it received
// the whole email and sent no reply.
func (e *Error) Uncertain() bool { return e.uncertain }

// Deferred reports whether the server of the recipient or the relay refused this email
// for now, by its recipient or its content. Greylisting does so, and passes by itself.
func (e *Error) Deferred() bool {
	return e.Code/100 == 4 && (e.Step == stepRecipient || e.Step == stepData || e.Step == stepAccept)
}

// aboutUs matches how servers refuse a client, its name, its sender or its right to relay.
// Many say so only at the recipient.
var aboutUs = regexp.MustCompile(`(?i)\b(helo|client|sender)\b[^:<>]* rejected|\brelay(ing)?\b[^:<>]* (denied|prohibited|not (allowed|permitted))|unable to relay|authentication (is )?required`)

// ours reports whether a server refused Portico at the recipient, for every recipient alike.
func (e *Error) ours() bool {
	return e.Step == stepRecipient && e.Code >= 500 && aboutUs.MatchString(e.cause.Error())
}

// Words returns what has happened, for the operator. It is "" if the step is not known.
func (e *Error) Words() string {
	switch {
	case e.Deferred():
		return "the mail server refuses the email for now"
	case e.ours():
		return "the mail server refuses Portico"
	case e.Code == 0 && slices.Contains([]string{stepSender, stepRecipient, stepData, stepAccept}, e.Step): // without an answer
		return words[stepContent]
	case e.Step == stepGreeting && e.Code >= 400:
		return "the mail server refuses the connection"
	}
	return words[e.Step]
}

// words has what has happened at each step.
var words = map[string]string{
	stepCompose:   "the email could not be written",
	stepConnect:   "the mail server cannot be reached",
	stepTLS:       "no encrypted connection to the mail server comes about",
	stepGreeting:  "what answers is no mail server",
	stepHello:     "the mail server does not take the greeting",
	stepLogin:     "the login at the mail server fails",
	stepSender:    "the mail server refuses the sender",
	stepRecipient: "the mail server refuses the recipient",
	stepData:      "the mail server refuses the email",
	stepContent:   "the connection to the mail server broke",
	stepAccept:    "the mail server refuses the email",
}

// Advice returns what helps, for the operator. It is "" if nothing is known.
func (e *Error) Advice() string {
	switch {
	case e.Deferred():
		return "nothing: the server refuses the email for now, and it is sent again by itself"
	case e.ours():
		return "the server refuses Portico, not the address: log in by smtp_url, use a mail_from that it accepts, and a public_url whose host is a full name that DNS knows"
	case e.Step == stepRecipient && e.Code >= 500:
		return "check the address"
	case e.Step == stepGreeting && e.Code >= 400:
		return advice[stepData]
	case e.Step == stepHello && e.Code >= 400:
		return "the server must take EHLO with the host of public_url: some servers want a full name that DNS knows"
	}
	return advice[e.Step]
}

// advice has what helps against a failure of a step.
var advice = map[string]string{
	stepConnect:  "check the host and port in smtp_url, and any firewall in between",
	stepTLS:      "the certificate must be valid for the host in smtp_url; for a port with implicit TLS, use smtps://",
	stepGreeting: "check the port in smtp_url; for a port with implicit TLS, use smtps://",
	stepHello:    "check the port in smtp_url; for a port with implicit TLS, use smtps://",
	stepLogin:    "check the user and password in smtp_url; Google and Microsoft want an app password or a relay",
	stepSender:   "use a mail_from address that this user may send from",
	stepData:     "ask who runs the mail server, with its answer",
	stepContent:  "the connection broke: check the network to the mail server",
	stepAccept:   "ask who runs the mail server, with its answer",
}

// Told returns the step and the reply code in the text of an Error. The step is unknown for
// any other text.
func Told(text string) *Error {
	step, rest, _ := strings.Cut(text, ": ")
	e := &Error{Step: step, cause: errors.New(rest)}
	number, _, _ := strings.Cut(rest, " ")
	if code, err := strconv.Atoi(number); err == nil && len(number) == 3 {
		e.Code = code
	}
	return e
}

// failed classifies the error of a step.
func failed(step string, err error) *Error {
	e := &Error{Step: step, cause: err}
	reply, answered := errors.AsType[*textproto.Error](err)
	if answered {
		e.Code = reply.Code
	}
	switch step {
	case stepCompose:
		e.permanent = true
	case stepRecipient, stepData:
		e.permanent = e.Code >= 500 && !e.ours()
	case stepAccept:
		e.permanent = e.Code >= 500
		e.uncertain = !answered
	}
	return e
}

// errorLimit is the length limit of a server's reply in an error, in code
// points.
const errorLimit = 300

const (
	stepCompose   = "compose"
	stepConnect   = "connect"
	stepTLS       = "tls"
	stepGreeting  = "greeting"
	stepHello     = "hello"
	stepLogin     = "login"
	stepSender    = "sender"
	stepRecipient = "recipient"
	stepData      = "data"
	stepContent   = "content"
	stepAccept    = "accept"
)
