package gateway

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"time"

	"portico/internal/server"
	"portico/internal/signingkey"
)

// keySet publishes the keys that verify tokens (RFC 7517 5). The cache lifetime
// limits how long apps accept a revoked key.
func (g *Gateway) keySet(w http.ResponseWriter, r *http.Request) error {
	set, err := g.Keys.Published()
	if err != nil {
		return err
	}
	sum := sha256.Sum256(set)
	etag := `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
	h := w.Header()
	server.OpenToAll(w)
	h.Set("Cache-Control", "public, max-age="+strconv.Itoa(int(signingkey.MaxAge/time.Second)))
	h.Set("Etag", etag)
	if server.Unchanged(r, etag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	h.Set("Content-Type", "application/jwk-set+json")
	h.Set("Content-Length", strconv.Itoa(len(set)))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(set) // fails only if the client has gone
	return nil
}
