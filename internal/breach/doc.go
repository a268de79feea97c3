// Package breach owns the list of common passwords. The list is part of the binary, so that
// the check needs no network. Its source is the million most common passwords of the
// published leaks. It has all of them with at least eight characters. It also has the plain
// words of five letters or more among the first 300,000, because people append a number to
// them.
//
// The list is a binary fuse filter of 16-bit fingerprints (Graf and Lemire, "Binary Fuse
// Filters", 2022). It knows every listed password, and mistakes another one for a listed
// one about once in 65,000 times. No password can be read back from it.
//
// It does not decide what a listed password means: internal/password refuses
// one that somebody chooses, and never asks at sign-in.
//
// Invariants:
//   - A lookup ignores letter case, because guessers try other cases first.
//   - The filter and the lookup derive keys by the same function.
//   - The same list gives the same bytes.
package breach

//go:generate go run ./generate
