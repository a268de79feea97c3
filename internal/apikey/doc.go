// Package apikey owns the keys with which programs use the admin API: their scopes, their
// ends, and the form of their secrets.
//
// It does not decide what a key may do. Package flow judges a key in the transaction of each
// change, and the table of operations in internal/server/admin says which scope each needs.
//
// Invariants:
//   - The database has only the hash of a secret. The text is returned once, by New.
//   - The scopes of a key never change, so a key is never widened.
//   - An admin answers for each secret. It works as long as that account is an admin, because
//     that admin may have seen it.
package apikey
