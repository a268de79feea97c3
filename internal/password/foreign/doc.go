// Package foreign checks passwords against the hashes of other systems.
//
// It reads a hash in each form that the other systems write, and gives it one canonical
// text (Hash.String). It does not store hashes, admit the work to the processor or make
// its time equal: package password does.
//
// Invariants:
//   - Parse refuses a hash whose check would take more than about two seconds or more than
//     256 MiB. Its error has the claim and the limit, and no part of the hash.
//   - A password is tried in Unicode NFC, and then as typed if that differs. No more is tried.
//   - The result of a check is compared in constant time.
package foreign
