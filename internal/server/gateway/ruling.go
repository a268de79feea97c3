package gateway

import (
	"net/http"
	"strings"
)

// past lists response headers that would lead browsers past the gateway.
var past = []string{
	"Alt-Svc", // the same host at another port, possibly the app itself
}

// ruling lists response headers that affect a whole origin for as long as they
// say. Portico's own pages are on the public origin.
var ruling = []string{
	"Strict-Transport-Security",   // max-age=0 would allow requests to Portico without TLS
	"Public-Key-Pins",             // would lock old browsers out of Portico too
	"Expect-Ct",                   // the same, with reports
	"Nel",                         // would report the URLs of Portico's pages to the app (Network Error Logging)
	"Report-To",                   // names the receivers of such reports; Reporting-Endpoints applies to one document only
	"Service-Worker-Allowed",      // a script of the app could respond for Portico's pages
	"Clear-Site-Data",             // clears the data of Portico's pages, and cookies of the whole domain
	"Secure-Session-Registration", // would bind any cookie, including Portico's, to requests of the app (Device Bound Session Credentials)
	"Sec-Session-Registration",    // former name of the same header
}

// clean removes headers that an app may not send, from a response, an interim
// response or trailers.
func (a *app) clean(h http.Header) {
	keepOwnCookies(h)
	delete(h, "X-Request-Id") // Portico sets its own
	for _, name := range past {
		delete(h, name)
	}
	if a.ownHost {
		return
	}
	for _, name := range ruling {
		delete(h, name)
	}
}

// Values of Clear-Site-Data when the account changes. They never include
// cookies, because that clears the whole registrable domain with the new
// session.
const (
	everySiteData = `"cache", "storage"`
	cacheOnly     = `"cache"`
)

// keepSiteCookies removes "cookies" and "*" from Clear-Site-Data, because they
// clear the whole registrable domain, which can include Portico's hosts.
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
