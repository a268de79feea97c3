// Package legacy asks the system that people have come from whether a password is theirs.
//
// It does not decide who is asked about, nor what follows from the answer: flows do.
//
// # Invariants
//
//   - A check that does not succeed takes as long for somebody who is not asked about as for somebody who is,
//     whatever the other system does. It also takes one of the same places for as long. So neither its time nor a
//     refusal tells which accounts the other system is asked about.
//   - Only the answer of the address in the settings counts: no redirect, nothing that is long, late or not understood.
//   - Nothing counts after the end of the setting, nor after a reload has replaced it.
//   - It is asked about imported people alone: it would otherwise get the passwords of all users, and its word would
//     make accounts whose mailbox nobody has proven.
//   - No password is logged, and none is in an error.
package legacy
