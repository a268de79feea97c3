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

// checkOrigin refuses a write that a page of another origin may have caused.
// This stops cross-site request forgery, including forged sign-ins.
//
// Origin must equal the given one exactly. "null" is refused, because
// sandboxed frames and cross-site redirects send it. Without Origin,
// Sec-Fetch-Site must say that the request is same-origin or typed by the
// visitor. A request with neither header is refused, unlike in net/http's
// CrossOriginProtection; this excludes browsers too old to send them.
func checkOrigin(r *http.Request, origin string) error {
	if isSafe(r.Method) {
		return nil
	}
	if sent := r.Header["Origin"]; len(sent) > 0 {
		if len(sent) == 1 && sent[0] == origin {
			return nil
		}
		return errCrossOrigin
	}
	if sent := r.Header["Sec-Fetch-Site"]; len(sent) == 1 && (sent[0] == "same-origin" || sent[0] == "none") {
		return nil
	}
	return errCrossOrigin
}
