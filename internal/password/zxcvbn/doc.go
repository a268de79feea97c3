// Package zxcvbn owns the estimate of how many guesses find a password, after
// zxcvbn (D. L. Wheeler, "zxcvbn: Low-Budget Password Strength Estimation",
// USENIX Security 2016): it finds the words, names, rows of keys, repeats,
// sequences, years and dates that a password is made of. What each of them is
// worth, and which of them together are the cheapest, scoring of
// github.com/trustelem/zxcvbn computes.
//
// That module finds patterns as well, but builds its dictionaries when the
// program starts, before anybody chooses a password: 10 MB and a third of the
// start. Here the dictionary is one sorted text inside the binary, which is
// searched where it lies. The module stays the oracle of the tests.
//
// It does not decide how many guesses are enough: internal/password does.
//
// Invariants: of an ASCII password the estimate is never above the oracle's,
// and equals it where no character stands for a letter; a character counts as
// one, whatever its bytes; nothing is built at start and nothing is kept
// between two estimates.
package zxcvbn

//go:generate go run ./generate
