package gateway

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httputil"
	"strings"

	"portico/internal/fault"
	"portico/internal/server"
	"portico/internal/telemetry/span"
)

// passage is one request to an app with its response.
type passage struct {
	gateway  *Gateway
	asked    ask
	visit    visit
	answer   answer    // writes to the client
	identity *identity // nil without a session
	turn     turn
	passing  passing
	trace    span.Onward           // trace headers for the app
	proxy    httputil.ReverseProxy // copy of the app's proxy for this request
	client   [1]string             // client address; an array, so that it is also a header value
	body     *body                 // request body; nil if there is none
	reply    reply                 // body of the app's response
	socket   *socket               // connection to the app, for a WebSocket only
	status   int                   // status of the app's response; 0 before it
	err      error                 // why there is no response of the app
}

// pass forwards the request to the app and the response to the client.
func (g *Gateway) pass(w http.ResponseWriter, r *http.Request, asked ask, v visit) error {
	if f := v.app.circuit.open.Load(); f != nil {
		v.app.circuit.failed()
		return f
	}
	if err := server.Unhurried(w); err != nil {
		return err
	}
	p := &passage{
		gateway: g, asked: asked, visit: v, proxy: v.app.proxy, client: [1]string{server.ClientAddr(r).String()},
		answer: answer{ResponseWriter: w, app: v.app, http10: !r.ProtoAtLeast(1, 1)},
		passing: passing{
			w: w, app: v.app, shown: v.shown, ruledBy: g, need: v.rule.Need, brief: r.ContentLength >= 0 && r.ContentLength <= patientBody,
		},
	}
	p.passing.asked, p.answer.writes = &p.asked, &p.passing.writes
	p.body = newBody(p, r)
	if !p.passing.brief {
		p.passing.body = p.body
	}
	if r.ProtoMajor == 2 || !p.passing.brief {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		r, p.passing.cancel = r.WithContext(ctx), cancel
	}
	g.open.add(&p.passing)
	defer g.open.remove(&p.passing)
	if p.body != nil {
		r.Body = p.body
		defer p.body.release()
		if passes, err := p.hold(w, r); !passes {
			return err
		}
	}
	if p.visit.token != "" {
		var err error
		if p.identity, err = g.identity(v.app, p.visit.found, g.Clock.Now()); err != nil {
			return unavailable(err)
		}
	}
	p.turn = newTurn(v.app, r, asked.raw, p.who(), g.Clock.Now())
	p.turn.unknown = p.visit.unknown
	server.Bare(w)
	ctx, call := span.Start(r.Context(), span.AppCall)
	defer p.endCall(r.Context(), call)
	p.trace = span.OnwardOf(ctx, r.Header)
	p.signOutBefore(ctx)
	p.proxy.Rewrite, p.proxy.ModifyResponse, p.proxy.ErrorHandler = p.forth, p.back, p.fail
	p.proxy.ServeHTTP(&p.answer, r)
	switch {
	case p.socket != nil:
		p.connect(r.Context())
	case p.err == nil:
		p.answer.end()
	}
	return p.err
}

// hold reads the beginning of the body, and then decides once more, because that may have taken hours: a role that was taken
// away meanwhile must not reach the app. How long ago the user signed in counts at the beginning alone. If the request does
// not pass, hold has answered it, or the error becomes the response.
func (p *passage) hold(w http.ResponseWriter, r *http.Request) (passes bool, err error) {
	if p.visit.app.Uploads.Buffer == 0 {
		return true, nil
	}
	if err := p.body.fill(); err != nil {
		p.fail(w, r, err)
		return false, p.err
	}
	v := visit{app: p.visit.app, rule: p.visit.rule}
	v.rule.Need = v.rule.Need.Lasting()
	if v, err = p.gateway.admit(w, r, &p.asked, v); err != nil {
		p.asked.program = v.personal || v.app.byProgram(r)
		p.gateway.invite(w, r, v.app, err)
		return false, p.gateway.refuse(w, r, p.asked, err)
	}
	p.visit = v
	p.gateway.open.found(&p.passing, v.shown)
	return true, nil
}

// endCall records which app was called and its status. It does not record the
// path.
func (p *passage) endCall(ctx context.Context, call span.Span) {
	if call.TraceID() == "" {
		return
	}
	call.Set(span.Method(p.asked.method), span.Host(p.visit.app.Upstream.Hostname()))
	if p.status != 0 {
		call.Set(span.Status(p.status))
	}
	failure := ""
	if p.err != nil && !errors.Is(p.err, context.Canceled) {
		failure = fault.From(p.err).Code
	} else if p.reply.broken && ctx.Err() == nil { // a client that disconnects ends the response too
		failure = brokenOff
	}
	call.End(failure)
}

// brokenOff marks the span of a response that ended early. Its status was
// already passed on and remains on the span.
const brokenOff = "app.broken_off"

// forth builds the request for the app. ReverseProxy has already removed
// hop-by-hop headers, including all that the client named. So a client cannot
// remove headers that are set here.
func (p *passage) forth(pr *httputil.ProxyRequest) {
	out, a := pr.Out, p.visit.app
	out.URL.Scheme, out.URL.Host = a.Upstream.Scheme, a.Upstream.Host
	out.URL.Opaque = p.asked.raw // exactly the path that was judged
	out.URL.RawQuery = pr.In.URL.RawQuery
	out.Host = p.asked.host
	out.Trailer = nil // a client's trailer could have a protected name
	h := out.Header
	p.gateway.guard.clean(h)
	if p.visit.bearer() || p.gateway.bringsOurs(a, h) {
		delete(h, "Authorization") // the app learns the user from Portico, and cannot pass the token on
	}
	delete(h, "Cookie")
	if len(p.turn.kept) > 0 {
		h["Cookie"] = []string{strings.Join(p.turn.kept, "; ")}
	}
	if p.turn.changed && (p.asked.method == http.MethodGet || p.asked.method == http.MethodHead) {
		delete(h, "If-None-Match") // a response of 304 would show the previous user's page
		delete(h, "If-Modified-Since")
	}
	if p.asked.upgrade {
		// Only WebSocket upgrades are passed on. With h2c, a client could send
		// requests that no rule has judged.
		h["Connection"], h["Upgrade"] = []string{"Upgrade"}, []string{"websocket"}
	}
	if p.identity != nil {
		p.identity.put(h, a, p.visit.found, p.gateway.Clock.Now())
	}
	h["X-Forwarded-For"] = p.client[:]
	h["X-Forwarded-Host"], h["X-Forwarded-Proto"] = a.forwardedHost, p.gateway.forwardedProto
	h["X-Request-Id"] = p.answer.ResponseWriter.Header()["X-Request-Id"]
	p.trace.Put(h)
}

// back processes the response of the app before it reaches the client.
func (p *passage) back(answer *http.Response) error {
	if p.answer.excess {
		return errTooManyInterim // even if the cancellation came later
	}
	if !p.passing.stage.CompareAndSwap(waits, answered) {
		return errSilent
	}
	p.visit.app.circuit.answered()
	p.status = answer.StatusCode
	if answer.StatusCode == http.StatusSwitchingProtocols {
		return p.switched(answer)
	}
	h := answer.Header
	p.visit.app.clean(h)
	if p.identity != nil {
		keepToUser(h)
	}
	p.turn.settle(h)
	announce(answer)
	if strings.HasPrefix(h.Get("Content-Type"), "text/event-stream") {
		p.proxy.FlushInterval = -1 // flush each piece at once
		p.gateway.open.lasts(&p.passing, nil)
	}
	if _, typed := h["Content-Type"]; !typed {
		h["Content-Type"] = nil // otherwise net/http may guess one
	}
	p.answer.header, answer.Header = h, nil // avoids a copy of each value in ReverseProxy
	if answer.Body != http.NoBody {
		p.reply.ReadCloser = answer.Body
		answer.Body = &p.reply
	}
	return nil
}

// fail records why there is no response. The Mux then writes an error.
func (p *passage) fail(_ http.ResponseWriter, r *http.Request, err error) {
	switch {
	case errors.Is(err, errSwitched):
		return
	case p.body != nil && p.body.late.Load():
		p.err = server.BodySlow // the recorded error may be the cancellation that ended the wait
		return
	case p.answer.excess:
		err = errTooManyInterim // instead of the cancellation that it caused
	case p.passing.stage.Load() == cut:
		err = errSilent // instead of the cancellation that it caused
	case errors.Is(err, context.Canceled):
		p.err = err
		return
	case p.body != nil && p.body.broken.Load():
		p.err = server.Malformed.WithCause(err) // the client sent a malformed body; the app is not at fault
		return
	}
	p.visit.app.circuit.failed()
	p.err = p.visit.app.unanswered(err)
}

// reply is the body of an app's response.
type reply struct {
	io.ReadCloser
	broken bool // it ended early
}

func (a *reply) Read(p []byte) (int, error) {
	n, err := a.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		a.broken = true
	}
	return n, err
}
