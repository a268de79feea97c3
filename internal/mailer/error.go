package mailer

import (
	"errors"
	"fmt"
	"net/textproto"
)

// Error says at which point a mail failed and what follows from it.
type Error struct {
	// Step is the step of the dialogue: compose, connect, tls, greeting,
	// hello, login, sender, recipient, data, content, accept.
	Step string

	// Code is the reply code of the server, 0 when it gave none.
	Code int

	permanent bool
	uncertain bool
	cause     error
}

// Error is for the log and the operator: one line of bounded length. It may
// hold words of the server, and never a secret or the content of the mail.
func (e *Error) Error() string {
	return fmt.Sprintf("%s: %s", e.Step, clean(e.cause.Error(), errorLimit))
}

func (e *Error) Unwrap() error { return e.cause }

// Permanent reports that this mail will not be accepted, however often it is
// sent: its recipient or its content was refused, or it could not be written.
// A refusal that concerns the server as a whole (no TLS, wrong password,
// sender not allowed) is not permanent: the operator can mend it while the
// mail waits.
func (e *Error) Permanent() bool { return e.permanent }

// Uncertain reports that the server may have accepted the mail: it was handed
// over completely and no answer came.
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

// errorLimit is how many characters of a server's answer are shown.
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
