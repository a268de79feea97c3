package server

import (
	"net/http"
	"strings"
)

// header is a response header. All requests share the value slices. They have
// no spare capacity, so that Header.Add copies them.
type header struct {
	name   string
	value  []string
	page   bool // only for responses that a browser can show; JSON omits it
	public bool // only at the public host
}

// strictPolicy is the Content-Security-Policy of responses that are not
// documents. If a browser is tricked into showing one, nothing in it runs,
// loads or is framed.
const strictPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"

// baseHeaders returns the headers of every response. A handler may replace only
// Content-Security-Policy and Cache-Control.
//
// JSON has the headers that prevent storing, sniffing, framing and reading by
// other sites. The others apply to documents, which have openers, features and
// links.
//
// Referrer-Policy is same-origin and not no-referrer. With no-referrer,
// browsers send "Origin: null" with form posts (Fetch, "append a request Origin
// header"), for which the guard needs Sec-Fetch-Site. Both policies send
// nothing to other origins, and no document has a secret in its URL.
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
		const name, hsts = "Strict-Transport-Security", "max-age=63072000" // two years, as HSTS preload lists require
		if subdomains {
			hs = append(hs, header{name: name, value: []string{hsts + "; includeSubDomains"}, public: true})
		}
		hs = append(hs, header{name: name, value: []string{hsts}}) // at hosts of apps, whose subdomains may be anything
	}
	return hs
}

// permissions denies browser features that sign-in pages do not need, and
// allows passkeys for this origin only.
func permissions() string {
	denied := []string{"accelerometer", "autoplay", "camera", "display-capture", "fullscreen", "geolocation",
		"gyroscope", "magnetometer", "microphone", "midi", "payment", "usb", "xr-spatial-tracking"}
	return strings.Join(denied, "=(), ") + "=(), publickey-credentials-create=(self), publickey-credentials-get=(self)"
}

// complete adds the base headers that the handler has not replaced. It runs
// when the response begins, because responses of apps have none of them.
func (e *exchange) complete() {
	if e.bare {
		return
	}
	h := e.Header()
	for _, b := range e.mux.headers {
		if b.page && e.json || b.public && e.request.Host != e.mux.hosts.public {
			continue
		}
		if _, replaced := h[b.name]; !replaced {
			h[b.name] = b.value
		}
	}
}

// Bare omits the base headers from the response of an app, which decides for
// itself what its pages may load. The request id stays.
func Bare(w http.ResponseWriter) {
	if e, ok := w.(*exchange); ok {
		e.bare = true
	}
}

// resetHeaders prepares an error response. It removes headers about the
// handler's body, and keeps cookies and Allow.
func (m *Mux) resetHeaders(e *exchange) {
	h := e.Header()
	for _, name := range []string{"Content-Disposition", "Content-Length", "Content-Encoding", "Content-Type", "Etag", "Location", "Reporting-Endpoints", "Vary"} {
		delete(h, name)
	}
	for _, b := range m.headers {
		delete(h, b.name) // complete adds the base headers again
	}
	h["X-Request-Id"] = e.ctx.id[:]
	e.bare = false
}
