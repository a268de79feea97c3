package server

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"portico/internal/fault"
)

// problem is the body of every failed answer that is not a document
// (RFC 9457). All members are always there, so that a client needs no cases.
type problem struct {
	Type       string            `json:"type"`
	Title      string            `json:"title"`
	Status     int               `json:"status"`
	Code       string            `json:"code"`
	Params     map[string]string `json:"params"`
	Fields     []problemField    `json:"fields"`
	RetryAfter int               `json:"retry_after"`
	RequestID  string            `json:"request_id"`

	// SignInURL is where a person signs in to go on: of what an app's script has
	// asked for without a session. It is the param of that name.
	SignInURL string `json:"signin_url,omitempty"`
}

// signInParam is the param of a fault that is for a script alone: a person would
// have been sent to the page.
const signInParam = "signin_url"

type problemField struct {
	Name   string            `json:"name"`
	Code   string            `json:"code"`
	Params map[string]string `json:"params"`
}

// Status returns the status that an error is answered with.
func Status(err error) int {
	f := fault.From(err)
	switch f.Code {
	case CodeMalformed:
		return http.StatusBadRequest
	case CodeMethodNotAllowed:
		return http.StatusMethodNotAllowed
	case CodeLengthRequired:
		return http.StatusLengthRequired
	case CodeTooLarge:
		return http.StatusRequestEntityTooLarge
	case CodeBodySlow:
		return http.StatusRequestTimeout
	case CodeTargetTooLong:
		return http.StatusRequestURITooLong
	case CodeUnsupported:
		return http.StatusUnsupportedMediaType
	case CodeHost:
		return http.StatusMisdirectedRequest
	case CodeAppDown:
		return http.StatusBadGateway
	case CodeAppSlow:
		return http.StatusGatewayTimeout
	case CodeCookiesTooLarge:
		return http.StatusRequestHeaderFieldsTooLarge
	}
	return statusOfKind(f.Kind)
}

func statusOfKind(kind fault.Kind) int {
	switch kind {
	case fault.Invalid:
		return http.StatusUnprocessableEntity
	case fault.Unauthenticated:
		return http.StatusUnauthorized
	case fault.Forbidden:
		return http.StatusForbidden
	case fault.Missing:
		return http.StatusNotFound
	case fault.Conflict:
		return http.StatusConflict
	case fault.Expired:
		return http.StatusGone
	case fault.Limited:
		return http.StatusTooManyRequests
	case fault.Unavailable:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// RetryAfter returns the whole seconds after which trying again may help, 0
// when waiting does not help.
func RetryAfter(f *fault.Error) int {
	return int((f.RetryAfter + time.Second - 1) / time.Second)
}

// About makes a failure a page for the browser behind a proxy: about the request
// that the proxy asks for, and not about the question.
func About(w http.ResponseWriter, r *http.Request, method, host string, target *url.URL) {
	if e, ok := w.(*exchange); ok {
		about := r.WithContext(r.Context())
		about.Method, about.Host, about.URL, about.RequestURI = method, host, target, target.RequestURI()
		e.about = about
	}
}

// fail is the one place where an error becomes an answer.
func (m *Mux) fail(e *exchange, r *http.Request, err error) {
	if e.status != 0 {
		e.cause = err
		panic(http.ErrAbortHandler) // the handler's answer has begun and cannot be taken back
	}
	f := asFault(err)
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		// The client has most likely gone, and that is what the log says. But one
		// that has only closed its sending side still waits, and saying nothing
		// would be an empty 200.
		f = errTimeout.WithCause(err)
		defer func() { e.status = statusClientGone }()
	}
	status := Status(f)
	e.code, e.cause = f.Code, errors.Unwrap(f)
	m.resetHeaders(e)
	if wait := RetryAfter(f); wait > 0 {
		e.Header().Set("Retry-After", strconv.Itoa(wait))
	}
	if len(r.TransferEncoding) > 0 || endsConnection(status) {
		e.Header().Set("Connection", "close")
	}
	about := r
	if e.about != nil {
		about = e.about
	}
	if m.errorPage != nil && f.Params[signInParam] == "" && wantsDocument(about) {
		err := m.errorPage(e, about, status, f)
		if err == nil || e.status != 0 {
			return
		}
		e.cause = errors.Join(e.cause, err)
	}
	m.writeProblem(e, r, status, f)
}

// endsConnection reports whether a client gets no second request on its
// connection: what is left of its body is not read, or it does not speak as
// browsers do.
func endsConnection(status int) bool {
	switch status {
	case http.StatusBadRequest, http.StatusRequestTimeout, http.StatusLengthRequired, http.StatusRequestEntityTooLarge,
		http.StatusRequestURITooLong, http.StatusRequestHeaderFieldsTooLarge:
		return true
	}
	return false
}

// asFault is fault.From for errors that reach a door: a deadline that has
// passed is not a defect of ours.
func asFault(err error) *fault.Error {
	f := fault.From(err)
	if f.Kind == fault.Internal && errors.Is(f, context.DeadlineExceeded) {
		return errTimeout.WithCause(err)
	}
	return f
}

func (m *Mux) writeProblem(e *exchange, r *http.Request, status int, f *fault.Error) {
	p := problem{
		Type:       "urn:portico:error:" + f.Code,
		Title:      Words(m.catalogue, m.catalogue.Match(r.Header.Get("Accept-Language")), f),
		Status:     status,
		Code:       f.Code,
		Params:     orEmpty(f.Params),
		Fields:     make([]problemField, len(f.Fields)),
		RetryAfter: RetryAfter(f),
		RequestID:  e.ctx.id[0],
		SignInURL:  f.Params[signInParam],
	}
	for i, field := range f.Fields {
		p.Fields[i] = problemField{Name: field.Name, Code: field.Code, Params: orEmpty(field.Params)}
	}
	if err := writeJSON(e, "application/problem+json", status, p); err != nil && e.cause == nil {
		e.cause = err
	}
}

func orEmpty(params map[string]string) map[string]string {
	if params == nil {
		return map[string]string{}
	}
	return params
}
