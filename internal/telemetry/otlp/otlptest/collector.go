package otlptest

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	"google.golang.org/protobuf/proto"
)

// Collector stores the spans that it receives. It is safe for concurrent use.
type Collector struct {
	URL *url.URL

	// Answer, if set, answers instead of a plain 200, after the spans were
	// stored.
	Answer http.HandlerFunc

	mu       sync.Mutex
	spans    []Span
	raw      []byte
	requests []*http.Request
}

// Span is a span as it was sent, with ids in hexadecimal.
type Span struct {
	Name, Trace, ID, Parent string
	Kind                    string
	Failed                  bool
	Attributes              map[string]any // string or int64
	Events                  []string
	Resource                map[string]any
	Flags                   uint32
	Started, Ended          time.Time
}

// New starts a collector that ends with the test.
func New(t testing.TB) *Collector {
	t.Helper()
	c := &Collector{}
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	c.URL = u
	return c
}

// ServeHTTP takes a batch.
func (c *Collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var message collector.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(body, &message)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c.keep(r, body, &message)
	if c.Answer != nil {
		c.Answer(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

func (c *Collector) keep(r *http.Request, body []byte, message *collector.ExportTraceServiceRequest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests = append(c.requests, r)
	c.raw = append(c.raw, body...)
	for _, resource := range message.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				span := Span{
					Name: s.GetName(), Trace: hex.EncodeToString(s.GetTraceId()), ID: hex.EncodeToString(s.GetSpanId()),
					Parent: hex.EncodeToString(s.GetParentSpanId()), Kind: s.GetKind().String(), Failed: s.GetStatus().GetCode() != 0,
					Attributes: values(s.GetAttributes()), Resource: values(resource.GetResource().GetAttributes()), Flags: s.GetFlags(),
					Started: time.Unix(0, int64(s.GetStartTimeUnixNano())), Ended: time.Unix(0, int64(s.GetEndTimeUnixNano())),
				}
				for _, e := range s.GetEvents() {
					span.Events = append(span.Events, e.GetName())
				}
				c.spans = append(c.spans, span)
			}
		}
	}
}

func values(list []*common.KeyValue) map[string]any {
	m := map[string]any{}
	for _, a := range list {
		switch v := a.GetValue().GetValue().(type) {
		case *common.AnyValue_StringValue:
			m[a.GetKey()] = v.StringValue
		case *common.AnyValue_IntValue:
			m[a.GetKey()] = v.IntValue
		}
	}
	return m
}

// Spans returns all spans so far.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Span(nil), c.spans...)
}

// Raw returns every byte so far, for tests of what must not be sent.
func (c *Collector) Raw() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(c.raw)
}

// Requests returns the requests of the batches.
func (c *Collector) Requests() []*http.Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]*http.Request(nil), c.requests...)
}
