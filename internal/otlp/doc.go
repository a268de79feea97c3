// Package otlp sends traces to a collector: OTLP over HTTP, in protobuf
// (OpenTelemetry Protocol 1). It is the only place that knows the SDK of
// OpenTelemetry; what is traced says internal/span.
//
// The exporter is our own, and so is the little of protobuf that it writes: the
// exporter of the SDK links gRPC and protobuf, which would add 7 MB to the
// binary. Tests read what it writes with the official types.
//
// Invariants:
//   - A request never waits for the collector: spans wait in a queue of bounded
//     length, and what does not fit is dropped.
//   - Settings come from the caller alone: the variables OTEL_... of the
//     environment change nothing.
package otlp
