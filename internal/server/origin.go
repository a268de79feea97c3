package server

import "net/http"

// apiPrefix is the prefix of the JSON API, whose errors are never pages.
const apiPrefix = "/auth/api/"

// isSafe reports whether a method is safe (RFC 9110 9.2.1).
func isSafe(method string) bool {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return true
	}
	return false
}

// CheckOrigin refuses a write that a page of another origin may have caused.
// This stops cross-site request forgery, including forged sign-ins.
//
// Origin must equal the given one exactly. Without Origin, Sec-Fetch-Site must
// say that the request is same-origin or typed by the visitor. A request with
// neither header is refused, unlike in net/http's CrossOriginProtection; this
// excludes browsers too old to send them.
//
// Sandboxed frames and cross-site redirects send "null", and so do forms of an
// app with Referrer-Policy: no-referrer. Sec-Fetch-Site, which no script can
// set, tells them apart: only the last are same-origin.
func CheckOrigin(r *http.Request, origin string) error {
	if isSafe(r.Method) {
		return nil
	}
	sent, site := r.Header["Origin"], r.Header["Sec-Fetch-Site"]
	same := len(site) == 1 && site[0] == "same-origin"
	switch {
	case len(sent) == 1 && (sent[0] == origin || sent[0] == "null" && same):
		return nil
	case len(sent) == 0 && (same || len(site) == 1 && site[0] == "none"):
		return nil
	}
	return errCrossOrigin
}
