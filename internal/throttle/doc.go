// Package throttle owns the named limits: how many wrong passwords, guesses, requests and
// emails are allowed, for whom, and in which time.
//
// It does not read HTTP, know who is signed in or decide what to do when a
// limit is reached.
//
// Invariants:
//   - Count first, then check: Take is called before the guess is checked. The
//     caller commits the count before it answers, usually in an earlier
//     transaction (see [Limiter.Take]).
//   - The arithmetic is pure (limit.go): state, limit and time give the next
//     state and the decision.
//   - State lives in the database: it survives a restart and all nodes share
//     it. Keys are keyed hashes, so the table reveals no address.
package throttle
