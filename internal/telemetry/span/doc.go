// Package span measures the parts of a request, so that a trace shows where its
// time went. It wraps the API of OpenTelemetry and defines all names and
// attributes. So a trace cannot contain input, an address, a secret or the text of
// an error.
//
// It does not send spans or decide about sampling. The provider of a Source does
// (internal/telemetry/otlp).
//
// Invariant: without a trace, a span costs one lookup in the context and allocates
// nothing. A nil Source begins no trace.
package span
