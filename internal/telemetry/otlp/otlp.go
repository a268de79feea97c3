package otlp

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"

	"portico/internal/telemetry/span"
)

const (
	queueSize    = 2048 // spans that wait to be sent; more are dropped
	batchSize    = 512
	batchEvery   = 5 * time.Second
	attemptLimit = 10 * time.Second // of one request
	exportLimit  = 15 * time.Second // of one batch, retries included
	maxResponse  = 64 << 10         // bytes of a response that are read
)

// Config says where traces go.
type Config struct {
	Endpoint *url.URL // of the collector; without a path, /v1/traces
	Header   string   // "Name: value", sent along to prove who we are; "" for none
	Ratio    float64  // of the traces that begin here and are recorded, from 0 to 1
	Version  string   // of the product
	Instance string   // names this process
	Client   *http.Client
	Log      *slog.Logger
}

// Traces collects the spans of this process. It is safe for concurrent use.
type Traces struct {
	provider *sdk.TracerProvider
	exporter *exporter
}

// New returns Traces that send nothing yet; the caller closes them.
func New(cfg Config) (*Traces, error) {
	e, err := newExporter(cfg)
	if err != nil {
		return nil, err
	}
	// The SDK adds OTEL_RESOURCE_ATTRIBUTES to the resource. It would take every
	// option that is not given here from the environment as well.
	provider := sdk.NewTracerProvider(
		sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(cfg.Ratio))),
		sdk.WithResource(resource.NewSchemaless(
			attribute.String("service.name", "portico"),
			attribute.String("service.version", cfg.Version),
			attribute.String("service.instance.id", cfg.Instance),
		)),
		sdk.WithRawSpanLimits(sdk.SpanLimits{
			AttributeValueLengthLimit: 256, AttributeCountLimit: 32, EventCountLimit: 16, LinkCountLimit: 4,
			AttributePerEventCountLimit: 4, AttributePerLinkCountLimit: 4,
		}),
		sdk.WithBatcher(e,
			sdk.WithMaxQueueSize(queueSize), sdk.WithMaxExportBatchSize(batchSize),
			sdk.WithBatchTimeout(batchEvery), sdk.WithExportTimeout(exportLimit)),
	)
	return &Traces{provider, e}, nil
}

// Source returns what begins traces.
func (t *Traces) Source() *span.Source { return span.NewSource(t.provider) }

// Totals returns how many spans were sent, and how many could not be.
func (t *Traces) Totals() (sent, lost uint64) { return t.exporter.sent.Load(), t.exporter.lost.Load() }

// Close sends what waits, for as long as the context allows.
func (t *Traces) Close(ctx context.Context) error {
	if err := t.provider.Shutdown(ctx); err != nil {
		return fmt.Errorf("send the last traces: %w", err)
	}
	return nil
}
