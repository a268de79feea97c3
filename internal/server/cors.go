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

func openTo(w http.ResponseWriter, origin string) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
}
