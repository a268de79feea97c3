package fault

import (
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"time"
)

// Codes that belong to no room.
const (
	CodeInternal    = "internal"
	CodeInvalid     = "invalid"
	CodeUnavailable = "unavailable"
	CodeTimeout     = "timeout"
)

// Kind is why a request was not carried out. The set is closed.
type Kind uint8

const (
	Internal        Kind = iota // a bug or a broken dependency; the cause is in the log
	Invalid                     // the input breaks a rule that the caller can keep
	Unauthenticated             // the caller is not signed in, or its proof is not accepted
	Forbidden                   // signed in, but not allowed
	Missing                     // there is nothing here that the caller may see
	Conflict                    // the state has changed
	Expired                     // it was valid once
	Limited                     // too many or too soon; RetryAfter says when
	Unavailable                 // a needed part does not answer; RetryAfter says when to retry
)

// String returns the name of the kind in logs and metrics.
func (k Kind) String() string {
	words := [...]string{
		Internal: "internal", Invalid: "invalid", Unauthenticated: "unauthenticated", Forbidden: "forbidden", Missing: "missing",
		Conflict: "conflict", Expired: "expired", Limited: "limited", Unavailable: "unavailable",
	}
	if int(k) >= len(words) {
		return words[Internal]
	}
	return words[k]
}

// Field is a fault of one input field. Params fill the placeholders of the
// code's words and never hold what the caller typed.
type Field struct {
	Name   string
	Code   string
	Params map[string]string
}

// Error is a fault. It is immutable: the With methods return a copy. Params
// fill the placeholders of the code's text, like the Params of a Field.
type Error struct {
	Kind       Kind
	Code       string // stable, dotted, owned by a package: "code.wrong"
	Params     map[string]string
	Fields     []Field
	RetryAfter time.Duration // 0 when waiting does not help
	cause      error
}

// New returns a fault of the kind under the code.
func New(kind Kind, code string) *Error { return &Error{Kind: kind, Code: code} }

// InvalidFields returns an Invalid fault of the given fields. Its own code,
// CodeInvalid, is about the form as a whole.
func InvalidFields(fields ...Field) *Error {
	return &Error{Kind: Invalid, Code: CodeInvalid, Fields: fields}
}

// WithRetryAfter returns a copy that says when to try again.
func (e *Error) WithRetryAfter(d time.Duration) *Error {
	c := *e
	c.RetryAfter = d
	return &c
}

// WithFields returns a copy that names the fields at fault.
func (e *Error) WithFields(fields ...Field) *Error {
	c := *e
	c.Fields = slices.Clone(fields)
	return &c
}

// WithParams returns a copy with these values for the placeholders of its text.
// Numbers are decimal digits.
func (e *Error) WithParams(params map[string]string) *Error {
	c := *e
	c.Params = maps.Clone(params)
	return &c
}

// WithCause returns a copy that carries the cause for the log.
func (e *Error) WithCause(err error) *Error {
	c := *e
	c.cause = err
	return &c
}

// Error returns the text for the log. It must never reach a response.
func (e *Error) Error() string {
	if e.cause != nil {
		return fmt.Sprintf("%s: %v", e.Code, e.cause)
	}
	return e.Code
}

func (e *Error) Unwrap() error { return e.cause }

// Is reports whether target is a fault with the same code, so that
// errors.Is(err, code.Wrong) holds whatever cause or fields were added.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// From returns the fault in err's chain; any other error becomes an Internal
// fault with err as its cause. It returns nil for nil.
func From(err error) *Error {
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*Error](err); ok {
		return f
	}
	return New(Internal, CodeInternal).WithCause(err)
}

// Recover turns a panic into an error with its stack. It must be deferred itself, with the result of the function.
func Recover(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
	}
}
