// Package secret owns the master key and everything made with it: sealed data,
// keyed hashes, random tokens and codes.
//
// It does not decide what a secret is for: callers name a purpose, and each
// purpose has a key of its own (HKDF-SHA-256, RFC 5869), so that a value made
// for one purpose means nothing under another.
//
// Invariants: no secret reaches the database in a usable form; comparisons of
// secrets take constant time; there is no way to print a key.
package secret
