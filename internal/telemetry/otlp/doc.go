// Package otlp sends traces to a collector: OTLP over HTTP, in protobuf
// (OpenTelemetry Protocol 1), with the SDK and the exporter of OpenTelemetry. It
// is the only package that imports them; internal/telemetry/span says what is traced.
//
// Invariants:
//   - A request never waits for the collector: spans wait in a queue of bounded
//     length, and the SDK drops what does not fit.
//   - The caller gives every setting. OTEL_RESOURCE_ATTRIBUTES is the only variable
//     OTEL_... that has an effect: it adds attributes to the resource and cannot replace
//     the name of the service.
package otlp
