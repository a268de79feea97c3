package ops

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// readyLimit bounds how long the database may take to answer.
const readyLimit = time.Second

// What /readyz says.
const (
	Ready    = "ready"
	Stopping = "stopping"
	Away     = "the database does not answer"
	ReadOnly = "the database takes no writes"
)

// ErrReadOnly says that the database answers and takes no writes: nobody can
// sign in.
var ErrReadOnly = errors.New(ReadOnly)

// Config is what the door is built from. All fields are needed.
type Config struct {
	Stopping func() bool                 // whether the process has been told to stop
	Ping     func(context.Context) error // whether the database answers; ErrReadOnly
	Metrics  http.Handler
}

// New returns the handler of the operations listener. Readiness ends when the
// process is told to stop: a balancer then sends no more requests while those
// under way finish.
func New(cfg Config) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "alive") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), readyLimit)
		defer cancel()
		if cfg.Stopping() {
			say(w, http.StatusServiceUnavailable, Stopping)
			return
		}
		switch err := cfg.Ping(ctx); {
		case errors.Is(err, ErrReadOnly):
			say(w, http.StatusServiceUnavailable, ReadOnly)
		case err != nil:
			say(w, http.StatusServiceUnavailable, Away)
		default:
			say(w, http.StatusOK, Ready)
		}
	})
	mux.Handle("GET /metrics", cfg.Metrics)
	return plain(mux)
}

// plain makes every answer one that a browser neither keeps nor interprets.
func plain(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

func say(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n")
}
