package otlp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// exporter counts what the exporter of OpenTelemetry sends, and logs in its
// place. The SDK calls it for one batch at a time.
type exporter struct {
	sdk.SpanExporter
	log *slog.Logger

	sent, lost atomic.Uint64
	failing    atomic.Bool // the log tells of each change once
}

// newExporter returns an exporter that sends to the endpoint. It gives every
// option that the library would otherwise take from the environment.
func newExporter(cfg Config) (*exporter, error) {
	headers, err := headersOf(cfg.Header)
	if err != nil {
		return nil, err
	}
	endpoint := *cfg.Endpoint
	if strings.Trim(endpoint.Path, "/") == "" {
		endpoint.Path = "/v1/traces" // OTLP 1.7, "Endpoint URLs for OTLP/HTTP"
	}
	sender, err := otlptracehttp.New(context.Background(), // connects to nothing yet
		otlptracehttp.WithEndpointURL(endpoint.String()),
		otlptracehttp.WithHeaders(headers),
		otlptracehttp.WithHTTPClient(cfg.Client),
		otlptracehttp.WithCompression(otlptracehttp.NoCompression),
		otlptracehttp.WithTimeout(attemptLimit),
		otlptracehttp.WithMaxResponseSize(maxResponse),
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{
			Enabled: true, InitialInterval: time.Second, MaxInterval: 5 * time.Second, MaxElapsedTime: exportLimit,
		}),
	)
	if err != nil {
		return nil, fmt.Errorf("set up the exporter of traces: %w", err)
	}
	return &exporter{SpanExporter: sender, log: cfg.Log}, nil
}

// headersOf reads a header that is written as "Name: value". The error does not
// quote it: it may hold a secret.
func headersOf(header string) (map[string]string, error) {
	if header == "" {
		return map[string]string{}, nil
	}
	name, value, ok := strings.Cut(header, ":")
	if name = strings.TrimSpace(name); !ok || name == "" {
		return nil, errors.New(`the header for the collector is not "Name: value"`)
	}
	return map[string]string{name: strings.TrimSpace(value)}, nil
}

// ExportSpans sends a batch. It returns nil for a lost batch as well, and counts
// it: the SDK would print an error past our log.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := e.SpanExporter.ExportSpans(ctx, spans)
	if err != nil {
		e.lost.Add(uint64(len(spans)))
	} else {
		e.sent.Add(uint64(len(spans)))
	}
	switch was := e.failing.Swap(err != nil); {
	case err != nil && !was:
		e.log.Warn("traces cannot be sent and are lost", "reason", err)
	case err == nil && was:
		e.log.Info("traces are sent again")
	}
	return nil
}
