package mailer

import (
	"errors"
	"fmt"
	"net/textproto"
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
// server as a whole (no TLS, wrong password, sender not allowed) is not
// permanent, because the operator can fix it while the email waits.
func (e *Error) Permanent() bool { return e.permanent }

// Refused reports whether the server refused this email for good, by its recipient
// or its content.
func (e *Error) Refused() bool { return e.permanent && e.Code >= 500 }

// Uncertain reports whether the server may have accepted the email: it received
// the whole email and sent no reply.
func (e *Error) Uncertain() bool { return e.uncertain }

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
		e.permanent = e.Code >= 500
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
