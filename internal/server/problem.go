package server

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"portico/internal/fault"
)

// problem is the body of an error that is not a page (RFC 9457). All members
// except signin_url are always present, so that clients need no special cases.
type problem struct {
	Type       string            `json:"type"`
	Title      string            `json:"title"`
	Status     int               `json:"status"`
	Code       string            `json:"code"`
	Params     map[string]string `json:"params"`
	Fields     []problemField    `json:"fields"`
	RetryAfter int               `json:"retry_after"`
	RequestID  string            `json:"request_id"`

	// SignInURL is where the visitor can sign in, for a script's request to an
	// app without a session. It is the parameter of that name.
	SignInURL string `json:"signin_url,omitempty"`
}

// signInParam is the parameter of a fault for a script. A browser's page
// request is redirected instead.
const signInParam = "signin_url"

type problemField struct {
	Name   string            `json:"name"`
	Code   string            `json:"code"`
	Params map[string]string `json:"params"`
}

// Status returns the HTTP status for an error.
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

// RetryAfter returns the whole seconds after which a retry may succeed, or 0 if
// waiting does not help.
func RetryAfter(f *fault.Error) int {
	return int((f.RetryAfter + time.Second - 1) / time.Second)
}

// About makes an error page describe the request that a proxy asks about,
// instead of the proxy's own request.
func About(w http.ResponseWriter, r *http.Request, method, host string, target *url.URL) {
	if e, ok := w.(*exchange); ok {
		about := r.WithContext(r.Context())
		about.Method, about.Host, about.URL, about.RequestURI = method, host, target, target.RequestURI()
		e.about = about
	}
}

// fail is the only place that turns an error into a response.
func (m *Mux) fail(e *exchange, r *http.Request, err error) {
	if e.status != 0 {
		e.cause = err
		panic(http.ErrAbortHandler) // the response has begun and cannot be replaced
	}
	f := asFault(err)
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		// Most likely the client has gone, so the log says so. But a client
		// that closed only its sending side still waits, and without a response
		// it would get an empty 200.
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
	if rt := cmp.Or(e.route, e.beside); rt != nil && rt.refuse != nil && answersItself(f.Code) {
		if rt.refuse(e, status) == nil {
			return
		}
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

// answersItself reports whether an endpoint of a standard has a response of its own for a fault.
func answersItself(code string) bool {
	return code == CodeTooLarge || code == CodeLengthRequired || code == CodeMethodNotAllowed
}

// endsConnection reports whether to close the connection after an error,
// because the rest of the body is not read or the client is not a browser.
func endsConnection(status int) bool {
	switch status {
	case http.StatusBadRequest, http.StatusRequestTimeout, http.StatusLengthRequired, http.StatusRequestEntityTooLarge,
		http.StatusRequestURITooLong, http.StatusRequestHeaderFieldsTooLarge:
		return true
	}
	return false
}

// asFault is fault.From, except that an exceeded deadline is a timeout and not
// an internal error.
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
		Title:      Words(m.Catalogue, m.Catalogue.Match(r.Header.Get("Accept-Language")), f),
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
