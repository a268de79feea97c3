// Package throttle owns the named limits: how many wrong passwords, guesses,
// requests and mails there may be, for whom, in which time.
//
// It does not read HTTP, know who is signed in or decide what to do when a
// limit is reached.
//
// Invariants:
//   - Count first, then check: Take is called before the guess is looked at,
//     in a transaction of its own that no failure of the request undoes.
//   - The arithmetic is pure (limit.go): state, limit and time give the next
//     state and the decision.
//   - State lives in the database: it survives a restart and all nodes share
//     it. Keys are keyed hashes, so the table tells nobody's address.
package throttle
