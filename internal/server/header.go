package server

import (
	"net/http"
	"strings"
)

// header is a field of our answers. The value slices are shared by all
// requests: they are full, so that Header.Add copies them.
type header struct {
	name  string
	value []string
	page  bool // whether only an answer that a browser shows needs it: JSON goes without
}

// strictPolicy is the content policy of what is not a document: nothing in it
// runs, loads or is framed even when a browser is tricked into showing it.
const strictPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"

// baseHeaders returns the headers that every answer begins with. A handler may
// replace the content policy and the caching, and nothing else.
//
// JSON keeps the headers that stop a browser from storing it, from reading it as
// another type, from framing it and from handing it to another site. The others
// act on documents: a page has an opener, features and links, and JSON has none.
//
// Referrer-Policy is same-origin and not no-referrer: under the latter
// browsers send "Origin: null" with form posts (Fetch, "append a request
// Origin header"), which the cross-origin guard has to refuse. No secret stands
// in a URL of ours that a document lives at, and other origins get nothing
// under either.
func baseHeaders(https, subdomains bool) []header {
	hs := []header{
		{name: "Cache-Control", value: []string{"no-store"}},
		{name: "Content-Security-Policy", value: []string{strictPolicy}},
		{name: "Cross-Origin-Opener-Policy", value: []string{"same-origin"}, page: true},
		{name: "Cross-Origin-Resource-Policy", value: []string{"same-origin"}},
		{name: "Permissions-Policy", value: []string{permissions()}, page: true},
		{name: "Referrer-Policy", value: []string{"same-origin"}, page: true},
		{name: "X-Content-Type-Options", value: []string{"nosniff"}},
	}
	if https {
		hsts := "max-age=63072000" // two years: what preload lists ask for
		if subdomains {
			hsts += "; includeSubDomains"
		}
		hs = append(hs, header{name: "Strict-Transport-Security", value: []string{hsts}})
	}
	return hs
}

// permissions denies the browser features that a sign-in page never needs and
// keeps passkeys to this origin.
func permissions() string {
	denied := []string{"accelerometer", "autoplay", "camera", "display-capture", "fullscreen", "geolocation",
		"gyroscope", "magnetometer", "microphone", "midi", "payment", "usb", "xr-spatial-tracking"}
	return strings.Join(denied, "=(), ") + "=(), publickey-credentials-create=(self), publickey-credentials-get=(self)"
}

// complete adds the base headers to an answer that begins, but for those that
// its handler has replaced. Until then they are nowhere: most answers of an app
// would lose them again.
func (e *exchange) complete() {
	if e.bare {
		return
	}
	h := e.Header()
	for _, b := range e.mux.headers {
		if b.page && e.json {
			continue
		}
		if _, replaced := h[b.name]; !replaced {
			h[b.name] = b.value
		}
	}
}

// Bare keeps our headers off an answer that is another program's: what a page of
// an app may load or be framed by is the app's to say. The request id stays.
func Bare(w http.ResponseWriter) {
	if e, ok := w.(*exchange); ok {
		e.bare = true
	}
}

// resetHeaders prepares the answer to a failure: what the handler said about
// its own body is gone, cookies and Allow stay.
func (m *Mux) resetHeaders(e *exchange) {
	h := e.Header()
	for _, name := range []string{"Content-Length", "Content-Encoding", "Content-Type", "Etag", "Location", "Reporting-Endpoints", "Vary"} {
		h.Del(name)
	}
	for _, b := range m.headers {
		delete(h, b.name) // complete adds ours
	}
	h["X-Request-Id"] = e.ctx.id[:]
	e.bare = false
}
