package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

// defaultMaxBody is the default size limit of a body in bytes. The largest form
// (two passwords of 256 characters, each byte percent-encoded) has about 8 KiB.
const defaultMaxBody = 16 << 10

// route is a handler and its traits.
type route struct {
	mux       *Mux
	pattern   string
	handler   Handler
	maxBody   int64
	upload    bool
	quiet     bool
	crossSite bool
	keyed     bool
	afterForm bool
	everyHost bool
	streaming bool
	download  bool
	refuse    RefuseUnread
	requests  *requests
}

// Trait changes how the Mux treats a route.
type Trait func(*route)

// Quiet is for frequent and fast routes. Responses below 400 are logged only at
// debug level, and the handler has no time limit.
func Quiet(rt *route) { rt.quiet = true }

// CrossSite exempts a route from the cross-origin guard. It is for the
// form_post callback of providers, which the state parameter protects, for
// violation reports, and for forward-auth and the fallback, whose apps have rules of
// their own. It is also for the endpoints of OpenID clients: they take no cookie, or
// redirect to a GET.
func CrossSite(rt *route) { rt.crossSite = true }

// Keyed exempts the requests with an Authorization header from the cross-origin guard. The handler must then take
// neither a cookie nor Basic credentials: browsers add both by themselves, also to a request that another site makes.
func Keyed(rt *route) { rt.keyed = true }

// Streaming removes the body limit, the deadline of a body and the requirement of a
// Content-Length. It is for the fallback, because apps decide about their
// uploads and streams. The response keeps its time until Unhurried.
func Streaming(rt *route) { rt.streaming = true }

// Download removes the time limit of the handler, for a file that is written in parts. Flush gives each
// part the time of a response.
func Download(rt *route) { rt.download = true }

// EveryHost serves a route at the hosts of apps too, to pages of the host that is asked. It is
// for what the error page needs there: its files and its language menu.
func EveryHost(rt *route) { rt.everyHost = true }

// MaxBody sets the size limit of a body in bytes.
func MaxBody(n int64) Trait { return func(rt *route) { rt.maxBody = n } }

// Upload is for a form with a file of up to n bytes in all. Its body may take
// uploadTimeout, and the handler and the response get the usual time after that.
func Upload(n int64) Trait { return func(rt *route) { rt.maxBody, rt.upload = n, true } }

// RefuseUnread answers a request that no handler gets: its body is too large or has no
// Content-Length, or its path has no route for its method. The status is 413, 411 or 405.
type RefuseUnread func(w http.ResponseWriter, status int) error

// AnswerUnread is for an endpoint of a standard that has its own form of errors.
func AnswerUnread(answer RefuseUnread) Trait { return func(rt *route) { rt.refuse = answer } }

func newRoute(m *Mux, pattern string, h Handler, traits []Trait) *route {
	rt := &route{mux: m, pattern: pattern, handler: h, maxBody: defaultMaxBody, requests: m.counters(pattern)}
	for _, t := range traits {
		t(rt)
	}
	if method, _, ok := strings.Cut(pattern, " "); ok {
		rt.requests.of(methodIndex(method)) // so that the metrics begin at zero
	}
	m.all = append(m.all, rt)
	return rt
}

// path returns the pattern without its method.
func (rt *route) path() string {
	_, path, ok := strings.Cut(rt.pattern, " ")
	if !ok {
		return rt.pattern
	}
	return path
}

// ServeHTTP runs the handler. w must be an exchange.
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

// admit checks the request against the traits of the route.
func (rt *route) admit(e *exchange, r *http.Request) error {
	if _, sent := r.Header["Authorization"]; !rt.crossSite && !(rt.keyed && sent) {
		origin := rt.mux.hosts.origin
		if rt.everyHost {
			origin = rt.mux.hosts.originOf(r)
		}
		if err := CheckOrigin(r, origin); err != nil {
			return err
		}
	}
	if rt.streaming {
		return rt.stream(e, r)
	}
	return bound(e, r, rt.maxBody)
}

// Bound applies the limits of an ordinary route to a request of a streaming
// one.
func Bound(w http.ResponseWriter, r *http.Request) error { return bound(w, r, defaultMaxBody) }

// bound refuses a body of more than most bytes, and sets the deadline for
// reading any other.
func bound(w http.ResponseWriter, r *http.Request, most int64) error {
	// Refuse every chunked body, and not only one with a Content-Length as
	// well: net/http has already removed that header. A proxy in front may have
	// used it, which would allow request smuggling (RFC 9112 6.1). Browsers
	// send neither forms nor fetch bodies chunked.
	if r.ContentLength < 0 || len(r.TransferEncoding) > 0 {
		return errLengthRequired
	}
	if r.ContentLength > most {
		return errTooLarge
	}
	if r.ContentLength > 0 {
		// Fails only without a connection, in a test.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTimeout(r.ContentLength)))
	}
	return nil
}

// Flush sends what a handler has written. The next part then has the time of a response.
func Flush(w http.ResponseWriter) error {
	c := http.NewResponseController(w)
	if err := c.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return err
	}
	return c.Flush()
}

// Incoming returns the body of a request to a streaming route, of at most n bytes. It may take any time, but
// each part of it has the time of an ordinary body.
func Incoming(w http.ResponseWriter, r *http.Request, n int64) (io.Reader, error) {
	if r.ContentLength > n {
		return nil, errTooLarge
	}
	return &incoming{http.NewResponseController(w), r.Body, n}, Unhurried(w)
}

type incoming struct {
	c    *http.ResponseController
	body io.Reader
	left int64
}

// Read implements io.Reader. Its errors but io.EOF are faults.
func (i *incoming) Read(p []byte) (int, error) {
	if err := i.c.SetReadDeadline(time.Now().Add(readTimeout)); err != nil {
		return 0, err
	}
	n, err := i.body.Read(p)
	switch i.left -= int64(n); {
	case i.left < 0:
		return 0, errTooLarge
	case errors.Is(err, io.EOF):
		_ = i.c.SetReadDeadline(time.Time{}) // the handler goes on
	case err != nil:
		err = Malformed.WithCause(err)
	}
	return n, err
}

// Unhurried removes the deadline of the response, which counts from the headers of the request.
func Unhurried(w http.ResponseWriter) error {
	return http.NewResponseController(w).SetWriteDeadline(time.Time{})
}

// Hurried limits the time for the rest of a response after Unhurried.
func Hurried(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(StallTimeout)) // fails for a WebSocket, which is over
}

// Discard reads the rest of a body that is not wanted, for as long as an ordinary
// form may take. A browser shows no response until it has sent the
// whole body.
func Discard(w http.ResponseWriter, r *http.Request) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(readTimeout)) // fails only without a connection, in a test
	_, _ = io.Copy(io.Discard, r.Body)                                             // on failure, net/http closes the connection after the response
}

// limit ends the handler's context after handlerTimeout. It changes the context
// of the exchange, which saves a copy of the request.
func (rt *route) limit(e *exchange) context.CancelFunc {
	if rt.quiet || rt.streaming || rt.download {
		return func() {}
	}
	most := handlerTimeout
	if rt.upload {
		most += uploadTimeout
		// Fails only without a connection, in a test.
		_ = http.NewResponseController(e).SetWriteDeadline(time.Now().Add(uploadTimeout + writeTimeout))
	}
	ctx, cancel := context.WithTimeout(e.ctx.Context, most)
	e.ctx.Context = ctx
	return cancel
}

// release limits the time for the unread rest of a body on a streaming route.
// net/http reads a part of it before it responds, and a slow client could hold
// the connection.
func (rt *route) release(e *exchange, r *http.Request) {
	if rt.streaming && r.ContentLength != 0 {
		_ = http.NewResponseController(e).SetReadDeadline(time.Now().Add(bodyTimeout(0))) // fails only if the connection is closed
	}
}

// stream removes the deadline of the body. A chunked request closes its connection, so
// that a smuggled request behind it is never read.
func (rt *route) stream(e *exchange, r *http.Request) error {
	if len(r.TransferEncoding) > 0 {
		e.Header().Set("Connection", "close")
	}
	return http.NewResponseController(e).SetReadDeadline(time.Time{})
}
