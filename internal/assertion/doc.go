// Package assertion owns what OpenID clients sign: assertions, which authenticate a
// client (private_key_jwt, RFC 7523), and key proofs, which show that the sender of a
// request has a key (DPoP, RFC 9449). It has the public keys of clients, and the checks.
//
// It does not know what a client may do, or parse HTTP.
//
// The keys of a client are a set in the settings, or a document that the client
// publishes. A document is loaded when it is first needed, again every keysLife, and
// out of turn when no known key fits.
//
// Invariants:
//   - Only asymmetric algorithms of our list count, each with keys of its own kind. The
//     key comes from the client's set, never from the assertion. The key of a key proof
//     comes from the proof. It belongs to nobody, and only its thumbprint counts.
//   - An assertion names its client as issuer and subject, this installation as its only
//     audience, and an end within longest.
//   - A key proof counts for one method, one address, one access token and two minutes.
//   - Each works once on all nodes: one conditional statement decides, after every
//     other check.
package assertion
