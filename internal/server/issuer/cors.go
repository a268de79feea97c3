package issuer

import (
	"net/http"

	"portico/internal/openid"
	"portico/internal/server"
)

// shareWith lets pages of a public client read an answer to it. Pages of other clients
// cannot.
func shareWith(w http.ResponseWriter, r *http.Request, client openid.Client) {
	if sent := r.Header["Origin"]; len(sent) == 1 && client.PublicAt(sent[0]) {
		server.OpenTo(w, sent[0])
	}
}

// shareWithPages lets pages of all public clients read an answer that depends on no
// client: an error before the client is known, or the permission to send a request,
// which does not name its client. The origins of unknown apps are in their documents, so any page may be one.
func (h *Handler) shareWithPages(w http.ResponseWriter, r *http.Request) {
	sent := r.Header["Origin"]
	if len(sent) == 1 && (h.Documents || h.Clients.PublicAt(sent[0])) {
		server.OpenTo(w, sent[0])
	}
}

// preflight answers what a browser asks before a page of a public client may send
// its request.
func (h *Handler) preflight(w http.ResponseWriter, r *http.Request) error {
	h.shareWithPages(w, r)
	return server.Preflight(w, "GET, POST")
}
