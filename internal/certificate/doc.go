// Package certificate provides the certificates by which Portico itself ends
// TLS: from two files, or from an ACME authority.
//
// It does not listen and knows no settings.
//
// Invariants:
//   - A handshake never causes a request to an authority and never waits for
//     one: it is answered from memory. The names come from the operator only.
//   - A certificate that works is replaced only by one that is valid now and
//     fits its key.
//   - Private keys from an authority are readable by their owner only. Who may read a key
//     file is up to the operator.
package certificate
