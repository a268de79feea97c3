// Package signupask asks the app whether a visitor may sign up.
//
// It does not decide who is asked about and when, nor what follows from the answer: flows do.
//
// # Invariants
//
//   - Only the answer of the address in the settings counts: no redirect, nothing that is long, late or not understood.
//   - {"allow": false} is a refusal, whatever else is in the answer. Its text is one line that hides and moves nothing.
//   - Requests that ask the same at the same time share one answer.
//   - Without an answer the setting decides. Neither a visitor who leaves nor one who finds all places taken is let in by that.
package signupask
