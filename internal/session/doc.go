// Package session owns browser sessions: their tokens, rotation, idle and
// absolute end, revocation, and the cache that answers most checks.
//
// It does not parse cookies, verify identities or know what a session may do.
//
// A session is a random 256-bit token. The database stores its SHA-256. A check
// hashes the token and looks it up in the node's cache, else it reads one indexed
// row together with the account.
//
// A session ends:
//   - after Idle without use, and at ExpiresAt or User.EndsAt in any case
//   - when the user or an operator ends it, or when the account has Most newer ones
//   - when the credential version of its account changes (package account); this needs
//     no search for sessions
//
// Invariants:
//   - A token is created at sign-in, never taken from the caller, and replaced at
//     each new sign-in in the same browser (ASVS 7.2.4).
//   - The reason why a session ended is returned only for its token. Looking for
//     it never slows a successful check down.
//   - AuthenticatedAt is the time of the user's last proof. A provider may sign the user
//     in without asking for a new one, so that time can be days ago.
//   - Using a session delays its idle end, never its absolute end (ASVS 7.3).
//   - After Forget, this node no longer uses cached data of the account.
//   - Every session is complete. Pending sign-ins are flows (internal/flow).
package session
