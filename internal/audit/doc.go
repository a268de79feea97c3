// Package audit owns the audit log. A fact names the event, its actor, the account,
// the time, the network and the outcome.
//
// It does not decide or notify.
//
// Invariants:
//   - Facts are added and never changed.
//   - A fact is written in the transaction of its change, so that neither exists
//     without the other.
//   - No fact contains a secret or free text from outside.
package audit
