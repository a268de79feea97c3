package metric

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

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
	Requests   []server.RequestStats
	Violations map[string]uint64 // of our content policies, by directive
	Flows      flow.Stats
	Sessions   session.CacheStats
	Hashing    password.Stats
	Hashes     tally.Snapshot[time.Duration]
	Mail       outbox.Totals
	Queue      *Queue // nil when the database does not answer
	Database   store.Stats
}

// Queue is the state of the outbox.
type Queue struct {
	Waiting, Dead int
	Oldest        time.Duration // how long the oldest that waits has waited
}

// Build says what is running.
type Build struct {
	Version, Revision, Go string
}

const (
	// parallel scrapes at most: a scrape asks the database.
	parallel = 3

	// readLimit bounds a scrape when the database does not answer.
	readLimit = 2 * time.Second
)

// Handler serves the figures. Read is called once a scrape and keeps to the
// deadline of its context.
func Handler(build Build, read func(context.Context) Figures, log *slog.Logger) http.Handler {
	return promhttp.HandlerFor(registry(build, read), promhttp.HandlerOpts{
		ErrorLog:            slog.NewLogLogger(log.Handler(), slog.LevelError),
		MaxRequestsInFlight: parallel,
	})
}

func registry(build Build, read func(context.Context) Figures) *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(
		newCollector(build, read),
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return r
}

// collector is all families, read together.
type collector struct {
	read     func(context.Context) Figures
	build    Build
	families []family
	descs    []*prometheus.Desc
}

func newCollector(build Build, read func(context.Context) Figures) *collector {
	c := &collector{read: read, build: build, families: families()}
	for _, f := range c.families {
		c.descs = append(c.descs, prometheus.NewDesc(f.name, f.help, f.labels, nil))
	}
	return c
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), readLimit)
	defer cancel()
	figures := c.read(ctx)
	for i, f := range c.families {
		f.read(&figures, c.build, emitter{c.descs[i], f.kind, out})
	}
}
