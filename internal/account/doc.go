// Package account owns the people: their addresses and the canonical form of
// those, their names, state and roles, and the external identities that are
// linked to them.
//
// It does not hash passwords (it keeps the verifier as opaque text), send
// mail or sign anybody in.
//
// Invariants:
//   - An account exists only once its address is proven.
//   - Two addresses with the same canonical form are one account; the
//     canonical form is made here and never by a database.
//   - Mail goes to the stored address, never to what was typed to find it.
//   - The credential version grows with each change of password, state or
//     linked identity that must end what was begun before it.
package account
