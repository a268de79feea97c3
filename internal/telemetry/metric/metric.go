package metric

import (
	"context"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"portico/internal/flow"
	"portico/internal/legacy"
	"portico/internal/outbox"
	"portico/internal/password"
	"portico/internal/server"
	"portico/internal/session"
	"portico/internal/signupask"
	"portico/internal/store"
	"portico/internal/telemetry/tally"
)

// Figures are the statistics of every part at one time.
type Figures struct {
	Build      Build
	Requests   []server.RequestStats
	Violations map[string]uint64 // of our content policies, by directive
	Flows      flow.Stats
	Sessions   session.CacheStats
	Legacy     legacy.Stats
	Questions  signupask.Stats // at sign-up
	Hashing    password.Stats
	Hashes     tally.Snapshot[time.Duration]
	Mail       outbox.Totals
	Queues     []Queue // none when the database does not answer
	Database   store.Stats
	Differing  int // settings that differ on another node
	Traces     Traces
	Apps       []App
	Webhooks   []Webhook // none when the database does not answer

	Certificates []Certificate // none when a proxy terminates TLS
}

// Build identifies the running program.
type Build struct {
	Version, Revision, Go string
}

// Queue is the state of a lane of the outbox.
type Queue struct {
	Lane          string
	Waiting, Dead int
	Oldest        time.Duration // age of the oldest waiting message
}

// App is an app that the gateway passes requests to.
type App struct {
	Name       string // its configured name
	Up         bool
	Unanswered uint64
}

// Webhook is a receiver of events about accounts.
type Webhook struct {
	Name                       string // its configured name
	Delivered, Failed, Dropped uint64
	Waiting                    int
	Oldest                     time.Duration // age of the oldest waiting event
}

// Certificate is a certificate with which Portico terminates TLS.
type Certificate struct {
	Name    string    // host, or path of the file
	Expires time.Time // zero when there is none yet
	Failing bool      // the newest attempt to replace it has failed
}

// Traces counts the spans that were sent to the collector, and the lost ones.
type Traces struct {
	Sent, Lost uint64
}

const (
	// parallel bounds concurrent scrapes, because each one asks the database.
	parallel = 3

	// readLimit bounds a scrape when the database does not answer.
	readLimit = 2 * time.Second
)

// Handler serves the figures, with metrics of the Go runtime and the process. It
// calls read once per scrape; read must respect the deadline of its context. More
// than three concurrent scrapes are refused with 503.
func Handler(read func(context.Context) Figures) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		&collector{read: read, families: families()},
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{MaxRequestsInFlight: parallel})
}

// collector hands the figures of one moment to the client library.
type collector struct {
	read     func(context.Context) Figures
	families []family
}

func (c *collector) Describe(descs chan<- *prometheus.Desc) {
	for _, f := range c.families {
		descs <- f.desc()
	}
}

func (c *collector) Collect(metrics chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), readLimit)
	defer cancel()
	figures := c.read(ctx)
	for _, f := range c.families {
		f.read(&figures, &emitter{metrics: metrics, desc: f.desc(), kind: f.kind})
	}
}
