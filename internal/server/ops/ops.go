package ops

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"
)

// readyLimit is the time limit for the database check of /readyz.
const readyLimit = time.Second

// ReadyPath is where a balancer or a health check asks.
const ReadyPath = "/readyz"

// The responses of /readyz.
const (
	Ready    = "ready"
	Stopping = "stopping"
	Away     = "the database does not answer"
	ReadOnly = "the database takes no writes"
	Keyless  = "the signing keys cannot be read: see the log"
)

// NotReady reports whether a text is a response of ReadyPath other than Ready.
func NotReady(said string) bool {
	return slices.Contains([]string{Stopping, Away, ReadOnly, Keyless}, said)
}

// ErrReadOnly means that the database answers and refuses writes, so that
// signing in fails.
var ErrReadOnly = errors.New(ReadOnly)

// ErrKeyless means that apps and OpenID clients get no tokens. Signing in works.
var ErrKeyless = errors.New(Keyless)

// Config configures the handler. Stopping, Ping and Metrics are required.
type Config struct {
	Stopping func() bool                 // whether the process is stopping
	Ping     func(context.Context) error // checks the database and the keys; may return ErrReadOnly or ErrKeyless
	Metrics  http.Handler
	Reload   Reload   // without Do, ReloadPath and RefusalsPath are 404
	Public   string   // the host of public_url: names in its domain are the operator's
	Names    []string // the names of this node, each with or without a port
}

// New returns the handler of the operations listener. Once the process is
// stopping, /readyz fails, so that a load balancer sends no more requests while
// open ones finish.
func New(cfg Config) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "alive") })
	mux.HandleFunc("GET "+ReadyPath, func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), readyLimit)
		defer cancel()
		if cfg.Stopping() {
			say(w, http.StatusServiceUnavailable, Stopping)
			return
		}
		switch err := cfg.Ping(ctx); {
		case errors.Is(err, ErrReadOnly):
			say(w, http.StatusServiceUnavailable, ReadOnly)
		case errors.Is(err, ErrKeyless):
			say(w, http.StatusServiceUnavailable, Keyless)
		case err != nil:
			say(w, http.StatusServiceUnavailable, Away)
		default:
			say(w, http.StatusOK, Ready)
		}
	})
	mux.Handle("GET /metrics", cfg.ownHost(cfg.Metrics))
	if cfg.Reload.Do != nil {
		mux.Handle("POST "+ReloadPath, cfg.ownHost(cfg.Reload.guard(cfg.Reload.serve)))
		mux.Handle("POST "+RefusalsPath, cfg.ownHost(cfg.Reload.guard(cfg.Reload.refusals)))
	}
	return plain(mux)
}

// plain sets headers that stop browsers from caching and interpreting
// responses.
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
