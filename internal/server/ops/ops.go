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

// ErrReadOnly says that the database answers and takes no writes: nobody can
// sign in.
var ErrReadOnly = errors.New("the database takes no writes")

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
			say(w, http.StatusServiceUnavailable, "stopping")
			return
		}
		switch err := cfg.Ping(ctx); {
		case errors.Is(err, ErrReadOnly):
			say(w, http.StatusServiceUnavailable, ErrReadOnly.Error())
		case err != nil:
			say(w, http.StatusServiceUnavailable, "the database does not answer")
		default:
			say(w, http.StatusOK, "ready")
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
