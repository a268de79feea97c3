// Package breach owns the list of passwords that everybody tries first, inside
// the binary, so that the rule holds without any network. It holds, of the
// million most common passwords of the published leaks, those of at least eight
// characters, and of the first 300,000 also the plain words of five letters or
// more, because people choose them with a number behind.
//
// The list is a binary fuse filter of 16-bit fingerprints (Graf and Lemire,
// "Binary Fuse Filters", 2022). It knows every listed password, and takes
// another for a listed one about once in 65,000 times. No password can be read
// back from it.
//
// It does not decide what a listed password means: internal/password refuses
// one that somebody chooses, and never asks at sign-in.
//
// Invariants: a password is looked up in every spelling of its letters' case
// at once, because guessers try those first; the filter and the lookup make
// their keys by the same function; the same list gives the same bytes.
package breach

//go:generate go run ./generate
