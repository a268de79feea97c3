// Package assertion owns how an OpenID client proves with a key of its own who it is
// (private_key_jwt, RFC 7523): the public keys of clients, and the checks of what they
// have signed.
//
// It does not know what a client may do, or parse HTTP.
//
// The keys of a client are a set in the settings, or a document that the client
// publishes. A document is loaded when it is first needed, again every keysLife, and
// out of turn when no known key fits.
//
// Invariants:
//   - Only asymmetric algorithms of our list count, each with keys of its own kind. The
//     key comes from the client's set, never from the assertion.
//   - An assertion names its client as issuer and subject, this installation as its only
//     audience, and an end within longest.
//   - It works once on all nodes: one conditional statement decides, after every
//     other check.
package assertion
