// Package argon2 computes Argon2id (RFC 9106) in memory that is kept from one
// hash to the next.
//
// It does not choose the cost, admit work or know what a password is: package
// password does. It exists because most of the time of a hash that brings its
// memory along is spent on getting it: docs/decisions/0007-own-argon2.md.
//
// An Arena belongs to one hashing slot. It grows to the dearest hash that it
// has computed and is wiped after each: the memory, the input and the
// intermediate blocks. What lay in registers and on the stack is overwritten by
// what comes next, as everywhere in Go. Lanes are computed one after another,
// because other slots keep the other cores busy.
//
// The compression function has three forms: AVX-512 and AVX2 in assembly, for
// amd64 processors that have them, and one in Go for all others. Which one runs
// is found out when an Arena is made; all pass the same tests, and the same
// fuzzing against golang.org/x/crypto/argon2.
//
// Time and memory access depend on the password in the second half of the
// first pass and after it, as the algorithm has it (RFC 9106 7.2), and on
// nothing else that is secret: no form branches on a word of a block.
package argon2
