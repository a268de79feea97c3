package server

import "net/http"

// apiPrefix is where the JSON API lives: its failures are never documents.
const apiPrefix = "/auth/api/"

// isSafe reports whether a method only reads (RFC 9110 9.2.1).
func isSafe(method string) bool {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return true
	}
	return false
}

// checkOrigin refuses a write that a page of another origin may have caused:
// cross-site request forgery, the sign-in form included. Origin must be ours to
// the letter, scheme and port included; "null" is what sandboxed frames and
// redirects across sites send. Without Origin only the browser's own statement
// that the request is same-origin, or typed by the person, counts. A request
// with neither header is refused: net/http's CrossOriginProtection lets it
// through, and so a client too old to send them.
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
