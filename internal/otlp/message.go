package otlp

import (
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// The numbers of fields are those of opentelemetry-proto 1: trace.proto,
// common.proto, resource.proto and trace_service.proto.

// Flags of a span beside those of the trace.
const (
	flagKnowsParent  = 0x100 // whether the parent is remote is known
	flagRemoteParent = 0x200

	statusError = 2
)

// resourceOf says who sends: the product, and neither its host nor its process.
func resourceOf(version, instance string) []attribute.KeyValue {
	return []attribute.KeyValue{
		attribute.String("service.name", "portico"),
		attribute.String("service.version", version),
		attribute.String("service.instance.id", instance),
	}
}

// encode returns the message of a batch (ExportTraceServiceRequest).
func encode(resource []attribute.KeyValue, version string, spans []sdk.ReadOnlySpan) []byte {
	var request message
	request.part(1, func(m *message) { // ResourceSpans
		m.part(1, func(m *message) { m.attributes(1, resource) }) // Resource
		m.part(2, func(m *message) {                              // ScopeSpans
			m.part(1, func(m *message) { // InstrumentationScope
				m.text(1, "portico")
				m.text(2, version)
			})
			for _, s := range spans {
				m.part(2, func(m *message) { m.span(s) })
			}
		})
	})
	return request
}

func (m *message) span(s sdk.ReadOnlySpan) {
	trace, id, parent := s.SpanContext().TraceID(), s.SpanContext().SpanID(), s.Parent().SpanID()
	m.bytes(1, trace[:])
	m.bytes(2, id[:])
	if s.Parent().HasSpanID() {
		m.bytes(4, parent[:])
	}
	m.text(5, s.Name())
	m.number(6, uint64(s.SpanKind())) // the SDK has the numbers of the protocol
	m.fixed64(7, nanoseconds(s.StartTime()))
	m.fixed64(8, nanoseconds(s.EndTime()))
	m.attributes(9, s.Attributes())
	m.number(10, uint64(s.DroppedAttributes()))
	for _, e := range s.Events() {
		m.part(11, func(m *message) {
			m.fixed64(1, nanoseconds(e.Time))
			m.text(2, e.Name)
			m.attributes(3, e.Attributes)
		})
	}
	m.number(12, uint64(s.DroppedEvents()))
	if s.Status().Code == codes.Error {
		m.part(15, func(m *message) { m.number(3, statusError) })
	}
	m.fixed32(16, flagsOf(s))
}

// attributes writes those of the kinds that internal/span makes: texts and
// whole numbers.
func (m *message) attributes(field uint64, list []attribute.KeyValue) {
	for _, a := range list {
		m.part(field, func(m *message) {
			m.text(1, string(a.Key))
			m.part(2, func(m *message) {
				if a.Value.Type() == attribute.INT64 {
					m.number(3, uint64(a.Value.AsInt64()))
				} else {
					m.text(1, a.Value.String())
				}
			})
		})
	}
}

// flagsOf returns the flags of the trace, and whether the parent is in another
// process.
func flagsOf(s sdk.ReadOnlySpan) uint32 {
	flags := uint32(s.SpanContext().TraceFlags()) | flagKnowsParent
	if s.Parent().IsRemote() {
		flags |= flagRemoteParent
	}
	return flags
}

func nanoseconds(t time.Time) uint64 { return uint64(t.UnixNano()) }
