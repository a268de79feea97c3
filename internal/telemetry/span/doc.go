// Package span marks the pieces of work of a request, so that a trace shows
// where its time went. It is a narrow door to the API of OpenTelemetry: names
// and attributes are those of this package, so that a trace cannot hold what a
// person has typed or owns, neither an address nor a secret nor the text of an
// error.
//
// It does not send anything and does not decide what is sampled: the provider
// that a Source is made of does (internal/telemetry/otlp).
//
// Invariant: where no trace was begun, marking costs a look into the context
// and allocates nothing; a nil Source begins none.
package span
