package server

import (
	"context"
	"net/http"
	"strings"
	"time"
)

// defaultMaxBody is the most bytes of a body that a route takes unless it says
// otherwise. The largest form (two passwords of 256 characters, each byte
// percent-encoded) has about 8 KiB.
const defaultMaxBody = 16 << 10

// route is a handler with its traits.
type route struct {
	mux       *Mux
	pattern   string
	handler   Handler
	maxBody   int64
	quiet     bool
	crossSite bool
	streaming bool
	requests  requests
}

// Trait changes what the kit does around one route.
type Trait func(*route)

// Quiet is for routes that are called with each request of an app or several
// times by each page, and answer at once: answers below 400 are logged at debug
// level only, and the handler sees to its own time limit.
func Quiet(rt *route) { rt.quiet = true }

// CrossSite takes the route out of the cross-origin guard: for a provider's
// form_post callback, which proves itself by its state, and for the fallback.
func CrossSite(rt *route) { rt.crossSite = true }

// Streaming lifts the body limit, the deadlines and the demand for a
// Content-Length: for the fallback, whose uploads and streams are the app's.
func Streaming(rt *route) { rt.streaming = true }

// MaxBody sets the most bytes of a body that the route takes.
func MaxBody(n int64) Trait { return func(rt *route) { rt.maxBody = n } }

func newRoute(m *Mux, pattern string, h Handler, traits []Trait) *route {
	rt := &route{mux: m, pattern: pattern, handler: h, maxBody: defaultMaxBody}
	for _, t := range traits {
		t(rt)
	}
	if method, _, ok := strings.Cut(pattern, " "); ok {
		rt.requests.of(methodIndex(method)) // so that the figures begin at zero, not with the first request
	}
	m.all = append(m.all, rt)
	return rt
}

// path is the pattern without its method.
func (rt *route) path() string {
	_, path, ok := strings.Cut(rt.pattern, " ")
	if !ok {
		return rt.pattern
	}
	return path
}

// ServeHTTP is called by the ServeMux inside Mux, always with an exchange.
func (rt *route) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e := w.(*exchange)
	e.held, e.route = false, rt
	err := rt.admit(e, r)
	if err == nil {
		defer rt.limit(e)()
		err = rt.handler(e, r)
		rt.release(e, r)
	}
	if err != nil {
		rt.mux.fail(e, r, err)
	}
}

// admit holds the request against the traits of the route.
func (rt *route) admit(e *exchange, r *http.Request) error {
	if !rt.crossSite {
		if err := checkOrigin(r, rt.mux.hosts.origin); err != nil {
			return err
		}
	}
	if rt.streaming {
		return rt.stream(e, r)
	}
	return bound(e, r, rt.maxBody)
}

// Bound puts the limits of an ordinary route on a request of a streaming one.
func Bound(w http.ResponseWriter, r *http.Request) error { return bound(w, r, defaultMaxBody) }

// bound refuses a body of more than most bytes, and limits the time of any other.
func bound(w http.ResponseWriter, r *http.Request, most int64) error {
	// A chunked body is refused, not only one that also has a Content-Length:
	// net/http drops that header before a handler can see the contradiction,
	// which a proxy in front may have read the other way (request smuggling,
	// RFC 9112 6.1). No browser sends a chunked form or fetch body.
	if r.ContentLength < 0 || len(r.TransferEncoding) > 0 {
		return errLengthRequired
	}
	if r.ContentLength > most {
		return errTooLarge
	}
	if r.ContentLength > 0 {
		// Fails only where there is no connection, in a test.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTimeout(r.ContentLength)))
	}
	return nil
}

// limit ends the handler's context after handlerTimeout. The context is that of
// the exchange, so the request need not be copied once more.
func (rt *route) limit(e *exchange) context.CancelFunc {
	if rt.quiet || rt.streaming {
		return func() {}
	}
	ctx, cancel := context.WithTimeout(e.ctx.Context, handlerTimeout)
	e.ctx.Context = ctx
	return cancel
}

// release limits what a route without limits has left of the body: net/http
// reads some of it before it answers, and whoever dribbles after a refusal would
// hold the connection for as long as it likes.
func (rt *route) release(e *exchange, r *http.Request) {
	if rt.streaming && r.ContentLength != 0 {
		_ = http.NewResponseController(e).SetReadDeadline(time.Now().Add(bodyTimeout(0))) // fails only when the connection is gone
	}
}

// stream prepares a route without limits. A chunked request ends its
// connection, so that nothing smuggled behind it is read as a request.
func (rt *route) stream(e *exchange, r *http.Request) error {
	if len(r.TransferEncoding) > 0 {
		e.Header().Set("Connection", "close")
	}
	c := http.NewResponseController(e)
	if err := c.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	return c.SetWriteDeadline(time.Time{})
}
