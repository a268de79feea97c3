package gateway

import (
	"net/http"
	"strings"
)

// past are the headers by which an app would lead browsers past the gateway.
var past = []string{
	"Alt-Svc", // the same host at another port, which may be the app itself
}

// ruling are the headers with which an answer rules more than itself: all that
// its origin serves, for as long as it says. At the public host our own pages are
// there.
var ruling = []string{
	"Strict-Transport-Security",   // max-age=0 lets the browser ask for our pages without TLS
	"Public-Key-Pins",             // an old browser is locked out, of our pages as well
	"Expect-Ct",                   // the same, and reports
	"Nel",                         // the addresses of our pages are reported to the app (Network Error Logging)
	"Report-To",                   // names to whom; for one document Reporting-Endpoints does that
	"Service-Worker-Allowed",      // a script of the app would answer for our pages
	"Clear-Site-Data",             // what our pages keep; cookies go for the whole domain
	"Secure-Session-Registration", // binds a cookie, ours as well, to requests of the app's (Device Bound Session Credentials)
	"Sec-Session-Registration",    // the name that it had before
}

// clean takes off what an app may not say: in an answer, an interim answer and a
// trailer.
func (a *app) clean(h http.Header) {
	keepOwnCookies(h)
	delete(h, "X-Request-Id") // ours is on the answer
	for _, name := range past {
		delete(h, name)
	}
	if a.rules {
		return
	}
	for _, name := range ruling {
		delete(h, name)
	}
}

// What browsers clear of an origin when another person uses it. Never cookies:
// those go for the whole registrable domain, our new session among them.
const (
	everySiteData = `"cache", "storage"`
	cacheOnly     = `"cache"`
)

// keepSiteCookies leaves of Clear-Site-Data what does not touch cookies: those go
// for the whole registrable domain, in which our hosts are.
func keepSiteCookies(h http.Header) {
	lines := h["Clear-Site-Data"]
	if lines == nil {
		return
	}
	var kept []string
	for name := range strings.SplitSeq(strings.Join(lines, ","), ",") {
		switch name = strings.TrimSpace(name); name {
		case `"cache"`, `"storage"`, `"executionContexts"`, `"prefetchCache"`, `"prerenderCache"`:
			kept = append(kept, name)
		case `"*"`:
			kept = append(kept, `"cache"`, `"storage"`)
		}
	}
	delete(h, "Clear-Site-Data")
	if kept != nil {
		h["Clear-Site-Data"] = []string{strings.Join(kept, ", ")}
	}
}
