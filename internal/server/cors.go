package server

import "net/http"

// OpenToAll lets pages of every origin read a response. It is for documents that
// are the same for everybody.
func OpenToAll(w http.ResponseWriter) { openTo(w, "*") }

// OpenTo lets pages of one other origin read a response (Fetch, CORS protocol), and in
// it why a token was refused (RFC 6750 3). They get no cookies with it.
func OpenTo(w http.ResponseWriter, origin string) {
	openTo(w, origin)
	w.Header().Set("Access-Control-Expose-Headers", "WWW-Authenticate")
	w.Header().Add("Vary", "Origin")
}

// Preflight answers what a browser asks before a page that may read a response sends its request
// (Fetch, CORS protocol). Libraries add headers of their own, such as X-Requested-With and traceparent. No cookie
// comes with such a request, so the headers are the same that any program can send. The wildcard does not
// contain Authorization, and old browsers do not know it.
func Preflight(w http.ResponseWriter, methods string) error {
	h := w.Header()
	if h.Get("Access-Control-Allow-Origin") != "" {
		h.Set("Access-Control-Allow-Methods", methods)
		h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, DPoP, X-Requested-With, *")
		h.Set("Access-Control-Max-Age", "600")
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// PreflightOfAll is Preflight for documents that are the same for everybody.
func PreflightOfAll(w http.ResponseWriter, _ *http.Request) error {
	OpenToAll(w)
	return Preflight(w, "GET")
}

func openTo(w http.ResponseWriter, origin string) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
}
