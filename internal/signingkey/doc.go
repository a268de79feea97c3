// Package signingkey owns the keys that sign tokens: creating, rotating and
// revoking them, the published set, and the signing itself.
//
// It does not know the content of tokens.
//
// Keys are ES256 (RFC 7518 3.4), which JWT libraries of every language verify, with
// small keys and signatures. Keys of RS256 and EdDSA exist only if the settings ask for them.
// Each algorithm has a series of keys of its own, told apart by their generations. A
// key is one row, its private half sealed under its
// id. Rotation adds a row that is published at once. The new key signs later, when
// every verifier has fetched the set. The old key stays published until its last
// token has expired. For Config.Remember after that, it only shows that an old token is
// ours: an ID token says at the sign-out which client it is from. The rows and the clock
// determine which key signs, so that any number of nodes agree without messages.
//
// Invariants:
//   - A key that rotation adds is published for publishAhead before it signs.
//   - A key that has signed is published for as long as one of its tokens may
//     live, unless it is revoked.
//   - Of nodes that rotate at the same time one adds a key: generations are
//     unique.
//   - A revoked key neither signs nor verifies nor is published, from the next Load on.
//   - A key that is no longer published verifies no token that gives access.
package signingkey
