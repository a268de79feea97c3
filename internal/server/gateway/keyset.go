package gateway

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"time"

	"portico/internal/keys"
	"portico/internal/server"
)

// TokenLife is how long a token for an app holds.
const TokenLife = 5 * time.Minute

// KeySet publishes the keys that tokens are verified with.
type KeySet struct {
	keys *keys.Keeper
}

// NewKeySet returns the door.
func NewKeySet(k *keys.Keeper) *KeySet { return &KeySet{keys: k} }

// Mount registers the route.
func (k *KeySet) Mount(m *server.Mux) {
	m.Handle("GET /.well-known/jwks.json", k.serve, server.Quiet)
}

// serve answers with the set (RFC 7517 5). Caches may keep it for as long as a
// key is published before it signs, and no longer: by then a revoked one is gone.
func (k *KeySet) serve(w http.ResponseWriter, r *http.Request) error {
	set, err := k.keys.Published()
	if err != nil {
		return err
	}
	sum := sha256.Sum256(set)
	etag := `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
	h := w.Header()
	h.Set("Cache-Control", "public, max-age="+strconv.Itoa(int(keys.MaxAge/time.Second)))
	h.Set("Etag", etag)
	h.Set("Cross-Origin-Resource-Policy", "cross-origin") // nothing in it is secret or anybody's
	if server.Unchanged(r, etag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	h.Set("Content-Type", "application/jwk-set+json")
	h.Set("Content-Length", strconv.Itoa(len(set)))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(set) // fails only when the client has gone
	return nil
}
