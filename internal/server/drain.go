package server

import (
	"context"
	"net/http"
)

// closing makes the server send "Connection: close" with each response once ctx
// is done, so that clients close their connections. Shutdown alone closes idle
// connections, and loses a request that is already on its way.
func closing(ctx context.Context, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ctx.Err() != nil {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}
