// Package session owns browser sessions: their tokens, rotation, idle and
// absolute end, revocation, and the cache that answers most checks.
//
// It does not parse cookies, prove anybody's identity or know what a session
// may do.
//
// The design in short. A session is a random 256-bit reference token of which
// the database keeps the SHA-256. A check hashes the token and looks it up in
// the node's cache, else reads one indexed row together with the person. A
// session ends after Idle without use, at ExpiresAt whatever happens, when it
// or its account is ended, and when the credential version of its account has
// moved on: a password change, a reset or a closed account needs no search
// for sessions.
//
// Invariants:
//   - A token is made at sign-in, never taken from the caller, and replaced at
//     each new sign-in in the same browser (ASVS 7.2.4).
//   - Why a session ended is told only to whoever has its token, and never
//     costs a check that succeeds anything.
//   - AuthenticatedAt is when the person gave a proof, and never later. A session
//     that a provider started without one may be minutes old and its proof days.
//   - Use moves the idle end only, never the absolute one (ASVS 7.3).
//   - After Forget no check of this node returns what was known before.
//   - What a check returns is complete; there are no half sessions here
//     (steps of a sign-in live in internal/flow).
package session
