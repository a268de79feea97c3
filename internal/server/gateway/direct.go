package gateway

import (
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"portico/internal/server"
	"portico/internal/span"
	"portico/internal/upstream"
)

// direct does what ReverseProxy does, for a request without a body that stays
// with HTTP/1.1. It copies neither request nor header: what the app gets is
// written while the client's header is read, and what it is told of the visitor
// is written already.
func (p *passage) direct(r *http.Request) {
	a := p.visit.app
	answer, err := a.direct.Do(r.Context(), &upstream.Request{
		Method: r.Method, Target: p.asked.target, Host: p.asked.host,
		Header:  func(h *upstream.Header) { p.write(h, r) },
		Interim: p.interim,
	})
	if err != nil {
		p.fail(p.w, r, err)
		return
	}
	defer answer.Body.Close()
	dropHopByHop(answer.Header)
	if err := p.back(answer); err != nil {
		p.fail(p.w, r, err)
		return
	}
	h := p.w.Header()
	for name, values := range answer.Header {
		if said := h[name]; said != nil {
			values = append(said, values...)
		}
		h[name] = values
	}
	if len(answer.Trailer) > 0 {
		h["Trailer"] = []string{strings.Join(slices.Sorted(maps.Keys(answer.Trailer)), ", ")}
	}
	p.w.WriteHeader(answer.StatusCode)
	if err := p.copy(answer); err != nil {
		panic(http.ErrAbortHandler) // so that half an answer does not look whole
	}
}

// write writes the header that the app gets: forth for a header that is sent at
// once.
func (p *passage) write(h *upstream.Header, r *http.Request) {
	g := p.gateway
	for name, values := range r.Header {
		if isConnection(name) || name == "Content-Length" || name == "Cookie" || g.guard.protects(name) || p.trace.Drops(name) {
			continue
		}
		for _, value := range values {
			h.Add(name, value)
		}
	}
	if kept := appCookies(r.Header["Cookie"]); kept != "" {
		h.Add("Cookie", kept)
	}
	if p.identity != nil {
		p.identity.write(h, p.visit.app, p.visit.found, g.clock.Now())
	}
	h.AddLines(p.visit.app.forwarded)
	h.Add("X-Forwarded-For", server.ClientAddr(r).String())
	for _, id := range p.w.Header()["X-Request-Id"] {
		h.Add("X-Request-Id", id)
	}
	if p.trace.Parent != "" {
		h.Add(span.Traceparent, p.trace.Parent)
	}
}

// interim passes on an answer that comes before the answer (RFC 8297).
func (p *passage) interim(status int, header http.Header) {
	h := p.w.Header()
	ours := maps.Clone(h)
	clear(h)
	dropHopByHop(header)
	keepOwnCookies(header)
	maps.Copy(h, header)
	p.w.WriteHeader(status)
	clear(h)
	maps.Copy(h, ours)
}

// copy passes the body on, the header and each piece at once when it may be a
// stream.
func (p *passage) copy(answer *http.Response) error {
	if answer.Body == http.NoBody {
		return nil
	}
	w := io.Writer(p.w)
	if answer.ContentLength < 0 || p.passing.endless {
		f := flushing{p.w, http.NewResponseController(p.w)}
		if err := f.controller.Flush(); err != nil {
			return err
		}
		w = f
	}
	buffer := p.gateway.buffers.Get()
	defer p.gateway.buffers.Put(buffer)
	// Either end could bring a copying of its own, with a buffer of its own.
	if _, err := io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{answer.Body}, buffer); err != nil || len(answer.Trailer) == 0 {
		return err
	}
	if err := http.NewResponseController(p.w).Flush(); err != nil { // a trailer needs chunks
		return err
	}
	for name, values := range answer.Trailer {
		p.w.Header()[http.TrailerPrefix+name] = values
	}
	return nil
}

// flushing sends each piece at once.
type flushing struct {
	http.ResponseWriter
	controller *http.ResponseController
}

func (f flushing) Write(piece []byte) (int, error) {
	n, err := f.ResponseWriter.Write(piece)
	if err == nil {
		err = f.controller.Flush()
	}
	return n, err
}

// dropHopByHop removes what an answer says to us and not to the client
// (RFC 9110 7.6.1).
func dropHopByHop(h http.Header) {
	for _, line := range h["Connection"] {
		for name := range strings.SplitSeq(line, ",") {
			h.Del(strings.TrimSpace(name))
		}
	}
	for name := range h {
		if isConnection(name) {
			delete(h, name)
		}
	}
}

// isConnection reports whether a header is of one connection alone.
func isConnection(name string) bool {
	switch name {
	case "Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization",
		"Te", "Trailer", "Transfer-Encoding", "Upgrade":
		return true
	}
	return false
}
