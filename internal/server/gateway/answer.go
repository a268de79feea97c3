package gateway

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// maxInterim is the most interim answers that an app may send before its answer.
const maxInterim = 16

var errTooManyInterim = errors.New("it sends interim answers without end")

// answer is the ResponseWriter that ReverseProxy gets. The header, the interim
// answers and the trailers of an app come to the client through it and on no
// other way, with the same names taken off.
type answer struct {
	http.ResponseWriter
	app      *app
	http10   bool        // the client knows no interim answers
	header   http.Header // what ReverseProxy puts on: the header, then the trailers
	interims int
	excess   bool // there were too many of them
}

// Unwrap lets http.ResponseController reach the connection.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// Header returns what is to be said next. Our own part of it is not in there:
// ReverseProxy clears it after each interim answer.
func (a *answer) Header() http.Header {
	if a.header == nil {
		a.header = make(http.Header)
	}
	return a.header
}

// WriteHeader says it.
func (a *answer) WriteHeader(status int) {
	if status < http.StatusOK {
		a.interim(status)
		return
	}
	join(a.ResponseWriter.Header(), a.header)
	a.header = nil
	a.ResponseWriter.WriteHeader(status)
}

// interim passes on an answer that comes before the answer (RFC 9110 15.2).
func (a *answer) interim(status int) {
	a.interims++
	switch {
	case a.interims > maxInterim && !a.excess:
		// To net/http the client seems to be gone, which cancels the request. The
		// answer to it can still be written.
		a.excess = true
		_ = http.NewResponseController(a.ResponseWriter).SetReadDeadline(time.Unix(1, 0))
		return
	case a.excess, a.http10:
		return
	}
	dropHopByHop(a.header)
	a.app.clean(a.header)
	h := a.ResponseWriter.Header()
	ours := maps.Clone(h)
	clear(h)
	maps.Copy(h, a.header)
	a.ResponseWriter.WriteHeader(status)
	clear(h)
	maps.Copy(h, ours)
}

// end passes on the trailers.
func (a *answer) end() {
	if len(a.header) == 0 {
		return
	}
	trailers := make(http.Header, len(a.header))
	for name, values := range a.header { // with the prefix if it was not announced
		trailers[strings.TrimPrefix(name, http.TrailerPrefix)] = values
	}
	dropHopByHop(trailers)
	a.app.clean(trailers)
	h := a.ResponseWriter.Header()
	for name, values := range trailers {
		if canTrail(name) {
			h[http.TrailerPrefix+name] = values
		}
	}
}

// announce says which trailers will come: ReverseProxy, which would say it
// itself, has none to announce then.
func announce(answer *http.Response) {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(answer.Trailer)), func(name string) bool { return !canTrail(name) })
	if len(names) > 0 {
		answer.Header["Trailer"] = []string{strings.Join(names, ", ")}
	}
	answer.Trailer = nil
}

// join adds the header of an app to ours. Nothing is copied where we have said
// nothing under the name.
func join(ours, theirs http.Header) {
	for name, values := range theirs {
		if said := ours[name]; said != nil {
			values = append(slices.Clip(said), values...)
		}
		ours[name] = values
	}
}

// canTrail reports whether a field may stand behind a body (RFC 9110 6.5.1). What
// frames, routes or secures an answer, or says what it is and for how long, is
// decided before.
func canTrail(name string) bool {
	folded := strings.ToLower(name)
	for _, prefix := range []string{"access-control-", "content-", "cross-origin-", "proxy-", "sec-", "www-", "x-portico-", "x-frame-", "x-content-", "x-xss-"} {
		if strings.HasPrefix(folded, prefix) {
			return folded == "content-digest"
		}
	}
	switch folded {
	case "age", "authorization", "cache-control", "connection", "date", "expires", "host", "keep-alive", "link", "location",
		"origin-agent-cluster", "permissions-policy", "pragma", "referrer-policy", "refresh", "reporting-endpoints", "retry-after", "set-cookie",
		"strict-transport-security", "te", "trailer", "transfer-encoding", "upgrade", "vary", "warning", "x-request-id":
		return false
	}
	return true
}

// dropHopByHop removes what an answer says to us and not to the client
// (RFC 9110 7.6.1). ReverseProxy does it for answers, and for no others.
func dropHopByHop(h http.Header) {
	for _, line := range h["Connection"] {
		for name := range strings.SplitSeq(line, ",") {
			h.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range []string{
		"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
		"Content-Length",
	} {
		delete(h, name)
	}
}
