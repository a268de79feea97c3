// Package signingkey owns the keys that tokens are signed with: making, rotating and
// revoking them, the set that is published, and the signing itself.
//
// It does not know what is signed, nor for whom.
//
// The design in short. Keys are ES256 (RFC 7518 3.4): the algorithm that the JWT
// libraries of every language verify, with small keys and signatures. A key is
// one row, its private half sealed under its id. Rotation adds a row that is
// published at once and signs a while later, when every verifier has fetched
// the set; the key before it stays published until the last token that it has
// signed is over. Which key signs follows from the rows and the clock alone, so
// that any number of nodes agree without talking.
//
// Invariants:
//   - A key that rotation adds is published for publishAhead before it signs.
//   - A key that has signed is published for as long as one of its tokens may
//     live, unless it is revoked.
//   - Of nodes that rotate at the same time one adds a key: generations are
//     unique.
//   - A revoked key neither signs nor is published, from the next Load on.
package signingkey
