package issuer

import (
	"net/http"

	"portico/internal/server"
)

// shareWithPages lets pages of public clients read the response. It reports
// whether the request comes from such a page.
func (h *Handler) shareWithPages(w http.ResponseWriter, r *http.Request) bool {
	sent := r.Header["Origin"]
	if len(sent) != 1 || !h.Clients.PublicAt(sent[0]) {
		return false
	}
	server.OpenTo(w, sent[0])
	return true
}

// preflight answers what a browser asks before a page of a public client may send
// its request.
func (h *Handler) preflight(w http.ResponseWriter, r *http.Request) error {
	if h.shareWithPages(w, r) {
		w.Header().Set("Access-Control-Allow-Methods", "GET, POST")
		w.Header().Set("Access-Control-Allow-Headers", "Authorization, Content-Type, DPoP")
		w.Header().Set("Access-Control-Max-Age", "600")
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
