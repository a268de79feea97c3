// Package account owns accounts: their addresses in canonical form, their names,
// pictures, state and roles, the external identities that are linked to them, and
// how they end.
//
// It does not hash passwords (it keeps the verifier as opaque text), send
// emails or sign users in.
//
// Invariants:
//   - An account exists only once its address is proven.
//   - Two addresses with the same canonical form are one account; the
//     canonical form is made here and never by a database.
//   - Mail goes to the stored address, never to what was typed to find it.
//   - The credential version grows with a new password, another primary address or
//     address for recovery, another state, and a provider that is removed. That ends all
//     sessions and flows that were begun before it.
package account
