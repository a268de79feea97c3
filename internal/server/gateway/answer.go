package gateway

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// maxInterim is the maximum number of interim responses (1xx) that an app may
// send for a request.
const maxInterim = 16

var errTooManyInterim = errors.New("it sends too many interim responses")

// answer is the ResponseWriter for ReverseProxy. Headers, interim responses and
// trailers of an app reach the client only through it, and it removes the same
// names from each.
type answer struct {
	http.ResponseWriter
	app      *app
	writes   *atomic.Uint32 // of the passing
	http10   bool           // an HTTP/1.0 client cannot get interim responses
	header   http.Header    // what ReverseProxy sets: headers, then trailers
	interims int
	excess   bool // the app exceeded maxInterim
}

// Unwrap lets http.ResponseController reach the connection.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// Write counts in passing.writes, so that the watcher sees a client that reads nothing.
func (a *answer) Write(b []byte) (int, error) {
	a.writes.Add(1)
	defer a.writes.Add(1)
	return a.ResponseWriter.Write(b)
}

// FlushError counts as Write does.
func (a *answer) FlushError() error {
	a.writes.Add(1)
	defer a.writes.Add(1)
	return http.NewResponseController(a.ResponseWriter).Flush()
}

// Header returns the app's headers. Portico's headers are kept elsewhere,
// because ReverseProxy clears this map after each interim response.
func (a *answer) Header() http.Header {
	if a.header == nil {
		a.header = make(http.Header)
	}
	return a.header
}

// WriteHeader sends the headers of both.
func (a *answer) WriteHeader(status int) {
	if status < http.StatusOK {
		a.interim(status)
		return
	}
	join(a.ResponseWriter.Header(), a.header)
	a.header = nil
	a.ResponseWriter.WriteHeader(status)
}

// interim passes on an interim response (RFC 9110 15.2).
func (a *answer) interim(status int) {
	a.interims++
	switch {
	case a.interims > maxInterim && !a.excess:
		// An expired read deadline makes net/http cancel the request as if the
		// client had gone. The response can still be written.
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

// end sends the trailers.
func (a *answer) end() {
	if len(a.header) == 0 {
		return
	}
	trailers := make(http.Header, len(a.header))
	for name, values := range a.header { // ReverseProxy adds the prefix to unannounced trailers
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

// announce sets the Trailer header itself and clears the trailers, so that
// ReverseProxy does not announce them without the filter.
func announce(answer *http.Response) {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(answer.Trailer)), func(name string) bool { return !canTrail(name) })
	if len(names) > 0 {
		answer.Header["Trailer"] = []string{strings.Join(names, ", ")}
	}
	answer.Trailer = nil
}

// join adds the headers of an app to Portico's. It copies values only if both
// set the same name.
func join(ours, theirs http.Header) {
	for name, values := range theirs {
		if said := ours[name]; said != nil {
			values = append(slices.Clip(said), values...)
		}
		ours[name] = values
	}
}

// canTrail reports whether a field may be a trailer (RFC 9110 6.5.1). Excluded
// are fields for framing, routing, security, content and caching.
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

// dropHopByHop removes hop-by-hop headers (RFC 9110 7.6.1). ReverseProxy does
// so only for final responses.
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
