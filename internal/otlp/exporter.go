package otlp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/trace"
)

const (
	attempts  = 3
	firstWait = time.Second
	longWait  = 5 * time.Second // the most that a collector may ask for

	maxAnswer = 64 << 10 // bytes of an answer that are read
)

// exporter sends batches of spans. The SDK calls it for one batch at a time.
type exporter struct {
	endpoint    string
	headerName  string
	headerValue string
	resource    []attribute.KeyValue
	version     string
	client      *http.Client
	log         *slog.Logger

	sent, lost atomic.Uint64
	failing    atomic.Bool // so that the log tells of each change once
}

func newExporter(cfg Config) (*exporter, error) {
	endpoint := *cfg.Endpoint
	if strings.Trim(endpoint.Path, "/") == "" {
		endpoint.Path = "/v1/traces" // OTLP 1.7, "Default port" and "Endpoint URLs for OTLP/HTTP"
	}
	e := &exporter{
		endpoint: endpoint.String(), resource: resourceOf(cfg.Version, cfg.Instance), version: cfg.Version,
		client: cfg.Client, log: cfg.Log,
	}
	if cfg.Header != "" {
		name, value, ok := strings.Cut(cfg.Header, ":")
		if e.headerName, e.headerValue = strings.TrimSpace(name), strings.TrimSpace(value); !ok || e.headerName == "" {
			return nil, errors.New(`the header for the collector is not "Name: value"`)
		}
	}
	return e, nil
}

// ExportSpans sends a batch. A batch that is not taken is lost and counted: it
// returns nil, because the SDK would write an error past our log.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := e.send(ctx, encode(e.resource, e.version, spans))
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

// Shutdown implements the SDK's interface; there is nothing to close.
func (e *exporter) Shutdown(context.Context) error { return nil }

// send delivers a body, and tries again when the collector asks for it.
func (e *exporter) send(ctx context.Context, body []byte) error {
	wait := firstWait
	for n := 1; ; n++ {
		again, err := e.post(ctx, body, &wait)
		if err == nil || !again || n == attempts {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(wait):
			wait *= 2
		}
	}
}

// post delivers a body once. Again says that another try may help (OTLP 1.7,
// "Retryable Response Codes"); the collector may set the wait before it.
func (e *exporter) post(ctx context.Context, body []byte, wait *time.Duration) (again bool, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.endpoint, bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	request.Header.Set("Content-Type", "application/x-protobuf")
	request.Header.Set("User-Agent", "portico/"+e.version)
	if e.headerName != "" {
		request.Header.Set(e.headerName, e.headerValue)
	}
	answer, err := e.client.Do(request)
	if err != nil {
		return true, err
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, maxAnswer)) // so that the connection serves again
	switch answer.StatusCode {
	case http.StatusOK:
		return false, nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		if s, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil && s > 0 {
			*wait = min(time.Duration(s)*time.Second, longWait)
		}
		again = true
	}
	return again, fmt.Errorf("the collector answers %d", answer.StatusCode)
}
