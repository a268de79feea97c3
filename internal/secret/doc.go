// Package secret owns the master key and everything made with it: sealed data,
// keyed hashes, random tokens and codes.
//
// It does not decide what a secret is for. Callers name a purpose, and each purpose
// has its own key (HKDF-SHA-256, RFC 5869). So a value made for one purpose is
// useless for another.
//
// Invariants:
//   - No secret reaches the database in a usable form.
//   - Comparisons of secrets take constant time.
//   - Formatting never prints a key.
package secret
