// Package flow owns the order of steps: signing in, signing up, recovering an
// account, continuing with an external provider, and what operators do to
// accounts. It is where the rooms meet.
//
// It holds no SQL, no HTTP and no wording, and does nothing that a room can do.
//
// A pending flow is one row: kind, step, sealed data, return target, the hash
// of the browser's binding cookie and an expiry. Its id is in the URL, so each
// tab has its own, and reload, Back and a trip to the mail app show the step
// that it is at. Steps never call one another: each proves its own step and
// asks the dispatcher (step.go) to advance, which is one conditional update
// that one caller wins.
//
// Invariants:
//   - One transaction a step; what a step causes (mail, record, session) is
//     written in it.
//   - Guesses are counted in a transaction before the one that checks them.
//   - Known and unknown addresses take the same steps, write the same rows and
//     give the same answer; only the mailbox learns the truth.
//   - An account exists only once its address is proven, so a password that
//     was chosen by a stranger never opens it.
//   - A change of credentials ends what was begun before it: flows and
//     sessions carry the credential version that they saw.
package flow
