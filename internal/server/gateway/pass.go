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

// passage is one request on its way to an app and back.
type passage struct {
	gateway  *Gateway
	asked    ask
	visit    visit
	answer   answer    // to the client
	identity *identity // nil for nobody
	turn     turn
	passing  passing
	trace    span.Onward           // what the app is told of it
	proxy    httputil.ReverseProxy // the app's, which knows this request
	client   [1]string             // its address, an array so that it also serves as a header's value
	body     *body                 // what the client sends, nil for nothing
	reply    reply                 // what the app sends
	socket   *socket               // to the app, nil for what is no WebSocket
	status   int                   // of the app's answer, 0 before it
	err      error                 // for which there is no answer of the app
}

// pass hands the request to the app and its answer to the client.
func (g *Gateway) pass(w http.ResponseWriter, r *http.Request, asked ask, v visit) error {
	if f := v.app.circuit.open.Load(); f != nil {
		v.app.circuit.failed()
		return f
	}
	p := &passage{
		gateway: g, asked: asked, visit: v, proxy: v.app.proxy, client: [1]string{server.ClientAddr(r).String()},
		answer: answer{ResponseWriter: w, app: v.app, http10: !r.ProtoAtLeast(1, 1)},
		passing: passing{
			w: w, app: v.app, token: v.token, need: v.rule.Need, brief: r.ContentLength >= 0 && r.ContentLength <= patientBody,
		},
	}
	if v.token != "" {
		var err error
		if p.identity, err = g.identity(v.app, v.found, g.clock.Now()); err != nil {
			return unavailable(err)
		}
	}
	p.turn = newTurn(v.app, r, asked.raw, p.who(), g.clock.Now())
	g.open.add(&p.passing)
	defer g.open.remove(&p.passing)
	server.Bare(w)
	ctx, call := span.Start(r.Context(), span.AppCall)
	defer p.endCall(r.Context(), call)
	p.trace = span.OnwardOf(ctx, r.Header)
	p.signOutBefore(ctx)
	if p.body = newBody(p, r); p.body != nil {
		r.Body = p.body
		defer p.body.release()
		if err := p.body.fill(); err != nil {
			p.fail(w, r, err)
			return p.err
		}
	}
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

// endCall says which app was asked and how it answered; never for what.
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
	} else if p.reply.broken && ctx.Err() == nil { // a client that goes away ends the answer too
		failure = brokenOff
	}
	call.End(failure)
}

// brokenOff is the failure of an answer that ends before its end: its status
// has been passed on, and stays on the span.
const brokenOff = "app.broken_off"

// forth makes the request that the app gets. ReverseProxy has removed what is
// hop-by-hop, and what the client calls so, before: nothing that is put on here
// can be taken off again.
func (p *passage) forth(pr *httputil.ProxyRequest) {
	out, a := pr.Out, p.visit.app
	out.URL.Scheme, out.URL.Host = a.Upstream.Scheme, a.Upstream.Host
	out.URL.Opaque = p.asked.raw // to the letter what was judged
	out.URL.RawQuery = pr.In.URL.RawQuery
	out.Host = p.asked.host
	out.Trailer = nil // a client's trailer could carry a name of ours
	h := out.Header
	p.gateway.guard.clean(h)
	delete(h, "Cookie")
	if len(p.turn.kept) > 0 {
		h["Cookie"] = []string{strings.Join(p.turn.kept, "; ")}
	}
	if p.turn.changed && (p.asked.method == http.MethodGet || p.asked.method == http.MethodHead) {
		delete(h, "If-None-Match") // an answer 304 would show the page of the person before
		delete(h, "If-Modified-Since")
	}
	if p.asked.upgrade {
		// Of the protocols that a connection can be changed to only WebSocket is
		// passed on: with h2c a client could send requests that no rule has seen.
		h["Connection"], h["Upgrade"] = []string{"Upgrade"}, []string{"websocket"}
	}
	if p.identity != nil {
		p.identity.put(h, a, p.visit.found, p.gateway.clock.Now())
	}
	h["X-Forwarded-For"] = p.client[:]
	h["X-Forwarded-Host"], h["X-Forwarded-Proto"] = a.forwardedHost, p.gateway.forwardedProto
	h["X-Request-Id"] = p.answer.ResponseWriter.Header()["X-Request-Id"]
	p.trace.Put(h)
}

// back looks at the app's answer before the client gets it.
func (p *passage) back(answer *http.Response) error {
	if p.answer.excess {
		return errTooManyInterim // whether or not the cancellation was quicker than the answer
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
	p.turn.settle(h)
	announce(answer)
	if strings.HasPrefix(h.Get("Content-Type"), "text/event-stream") {
		p.proxy.FlushInterval = -1 // each piece at once
		p.gateway.open.lasts(&p.passing, nil)
	}
	if _, typed := h["Content-Type"]; !typed {
		h["Content-Type"] = nil // net/http would guess one, or not, by how the body comes
	}
	p.answer.header, answer.Header = h, nil // ReverseProxy would copy each value
	if answer.Body != http.NoBody {
		p.reply.ReadCloser = answer.Body
		answer.Body = &p.reply
	}
	return nil
}

// fail remembers why there is no answer: the kit then writes one.
func (p *passage) fail(_ http.ResponseWriter, r *http.Request, err error) {
	switch {
	case errors.Is(err, errSwitched):
		return
	case p.body != nil && p.body.late.Load():
		p.err = server.BodySlow // the cause may be the cancellation by which we end the wait
		return
	case p.answer.excess:
		err = errTooManyInterim // not the cancellation by which we end it
	case p.passing.stage.Load() == cut:
		err = errSilent // not the cancellation by which we know
	case errors.Is(err, context.Canceled):
		p.err = err
		return
	case p.body != nil && p.body.broken.Load():
		p.err = server.Malformed.WithCause(err) // by the client: the app has no part in it
		return
	}
	p.visit.app.circuit.failed()
	p.err = p.visit.app.unanswered(err)
}

// reply is what an app sends.
type reply struct {
	io.ReadCloser
	broken bool // it has ended before its end
}

func (a *reply) Read(p []byte) (int, error) {
	n, err := a.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		a.broken = true
	}
	return n, err
}
