package server

import (
	"net/http"
	"strings"

	"portico/internal/pages"
)

// maxRedirect is the size limit in bytes of an address in the headers of a response to a
// browser. Proxies in front have a limit of 4 KiB for all headers (nginx, proxy_buffer_size).
const maxRedirect = 2 << 10

// LeavingPage writes a page that goes on to an address by itself.
type LeavingPage func(w http.ResponseWriter, r *http.Request, to string) error

// LeavingPage registers the page that SeeOther writes where browsers would not follow a
// redirect. Without it, every answer is a redirect.
func (m *Mux) LeavingPage(page LeavingPage) { m.leaving = page }

// AfterForm is for a route to which a form of another site leads the browser. The policy of
// that site knows the address of Portico, and not the addresses behind it.
func AfterForm(rt *route) { rt.afterForm = true }

// SeeOther redirects the browser with a GET. location must be one of Portico's
// paths, or a URL that the allow-list permits. It returns nil, so that a
// handler can return its result.
//
// Chromium and WebKit apply form-action of a page to every redirect after its form, and an app
// may redirect to any other origin. So a browser that comes from a page of ours leaves our
// pages by a page that goes on by itself: no form leads beyond 'self'. A list of all origins
// would be larger than the headers that proxies take, and anybody could read it.
func SeeOther(w http.ResponseWriter, location string) error {
	if e, ok := w.(*exchange); ok && e.mux.leaving != nil && e.needsPage(location) {
		return e.mux.leaving(e, e.request, location)
	}
	w.Header().Set("Location", location)
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

// needsPage reports whether a browser would not get to a location by a redirect.
func (e *exchange) needsPage(location string) bool {
	r := e.request
	if r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Header.Get("Sec-Fetch-Dest") != "document" {
		return false // a program, or a frame of an app
	}
	if len(location) > maxRedirect {
		return true
	}
	led := r.Header.Get("Sec-Fetch-Site") == "same-origin" || e.route != nil && e.route.afterForm
	page := r.Host == e.mux.hosts.public || !isSafe(r.Method) // other hosts have forms of ours, and links of their app
	return led && page && ours(r.URL.Path) && !ours(location)
}

// ours reports whether an address is a page of Portico, which leaves by SeeOther. The requests
// of OpenID clients are none: apps link to them, and no form leads there.
func ours(address string) bool {
	path, _, _ := strings.Cut(address, "?")
	return pages.Own(path) && path != pages.Authorize
}
