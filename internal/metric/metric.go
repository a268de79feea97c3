package metric

import (
	"context"
	"net/http"
	"time"

	"portico/internal/flow"
	"portico/internal/outbox"
	"portico/internal/password"
	"portico/internal/server"
	"portico/internal/session"
	"portico/internal/store"
	"portico/internal/tally"
)

// Figures are those of every part at one time.
type Figures struct {
	Build      Build
	Requests   []server.RequestStats
	Violations map[string]uint64 // of our content policies, by directive
	Flows      flow.Stats
	Sessions   session.CacheStats
	Hashing    password.Stats
	Hashes     tally.Snapshot[time.Duration]
	Mail       outbox.Totals
	Queue      *Queue // nil when the database does not answer
	Database   store.Stats
	Differing  int // settings that another node has otherwise
	Traces     Traces
	Apps       []App
}

// Build says what is running.
type Build struct {
	Version, Revision, Go string
}

// Queue is the state of the outbox.
type Queue struct {
	Waiting, Dead int
	Oldest        time.Duration // how long the oldest that waits has waited
}

// App is one behind the door that requests are passed on to.
type App struct {
	Name       string // as it is configured
	Up         bool
	Unanswered uint64
}

// Traces are the spans that were sent to the collector, and those that could
// not be.
type Traces struct {
	Sent, Lost uint64
}

const (
	// parallel scrapes at most: a scrape asks the database.
	parallel = 3

	// readLimit bounds a scrape when the database does not answer.
	readLimit = 2 * time.Second

	// contentType is that of the text format (Prometheus, "Exposition formats").
	contentType = "text/plain; version=0.0.4; charset=utf-8"
)

// Handler serves the figures. Read is called once a scrape and keeps to the
// deadline of its context.
func Handler(read func(context.Context) Figures) http.Handler {
	running := make(chan struct{}, parallel)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case running <- struct{}{}:
			defer func() { <-running }()
		default:
			http.Error(w, "too many scrapes at a time", http.StatusServiceUnavailable)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), readLimit)
		defer cancel()
		figures := read(ctx)
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write(expose(&figures)) // fails only when the client has gone
	})
}

// expose writes every family.
func expose(figures *Figures) []byte {
	e := emitter{buffer: make([]byte, 0, 128<<10)}
	for _, f := range families() {
		e.begin(f)
		f.read(figures, &e)
	}
	return e.buffer
}
