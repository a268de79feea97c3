// Package argon2 computes Argon2 (RFC 9106) in memory that is kept from one hash
// to the next.
//
// It does not choose the cost, admit work or know what a password is: package
// password does. It exists because allocating its memory takes most of the time of
// an ordinary hash: docs/decisions/0007-own-argon2.md.
//
// An Arena belongs to one hashing slot. It grows to the largest hash that it has
// computed. After each hash it wipes the memory, the input and the intermediate
// blocks. Registers and the stack are overwritten by later work, as everywhere in Go.
// Lanes are computed one after another, because other slots use the other cores.
//
// The compression function has three forms: AVX-512 and AVX2 in assembly, for amd64
// processors that have them, and one in Go for all others. A new Arena chooses its
// form. All forms pass the same tests, and the same fuzzing against
// golang.org/x/crypto/argon2.
//
// Portico's own hashes are Argon2id. Argon2i, Argon2d and the version before RFC 9106
// exist for hashes of other systems.
//
// From the second half of the first pass of Argon2id on, time and memory access depend on the
// password, as the algorithm requires (RFC 9106 7.2). They depend on no other secret:
// no form branches on a word of a block.
package argon2
