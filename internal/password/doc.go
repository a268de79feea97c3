// Package password owns what is done with passwords: the rule that a new one
// must keep, the hash that is stored, the comparison, and the admission of
// this costly work to the processor.
//
// It does not know whose password it is, where hashes are kept, which step
// comes next or how often somebody may try: internal/flow and
// internal/throttle do.
//
// # Text
//
// A password is compared as the person typed it, after Unicode NFC (NIST SP
// 800-63B-4 3.1.1.2), so that the same letters match on every keyboard. Nothing
// is trimmed, folded or cut: case, spaces and compatibility forms (a ligature
// and its letters) make different passwords, and every one of up to 256 code
// points counts. NUL and broken UTF-8 are refused in words, because databases
// treat them differently.
//
// # Hash
//
// Argon2id (RFC 9106), then HMAC-SHA-256 under a key derived from the master
// key (the keyed step of NIST SP 800-63B-4 3.1.1.2): a stolen database alone
// does not allow guessing. What is stored is a PHC string, in which keyid names
// the master key:
//
//	$argon2id$v=19$m=19456,t=2,p=1,keyid=<8>$<salt: 16 bytes>$<32 bytes>
//
// The keyed step comes last, so that a plain Argon2id hash can be brought under
// the key without its password. A hash of another cost, key or salt length
// still verifies, and Verify then says that it should be made anew.
//
// # Rule
//
// A new password has at least Policy.Min code points (8, or 15 in the profile
// nist), is not on the list of breached passwords, is not a listed word with a
// little around it, and withstands 20 million guesses as zxcvbn counts them,
// also those of somebody who knows the person's address and the names of the
// site. No mixture of character classes is asked for. What is judged is the
// password without accents and without repetition, and of that 48 code points
// in two halves, which bounds the work (a millisecond for the dearest found, a
// quarter as a rule): one half must be strong enough.
//
// # Admission
//
// Hashing and judging run in slots, one for each core. A caller that finds no
// free slot waits in a bounded queue, first come first served; one that would
// wait too long, or finds the queue full, is refused at once with CodeBusy and
// the time after which the queue will have drained. Nothing else waits here,
// session checks least of all.
//
// A slot owns the memory that its hashes are computed in (package argon2). It
// is wiped after each hash and kept for the next, so that a storm takes at most
// slots times Cost.Memory, or times that of a dearer hash which is stored, up to
// 256 MiB. What exceeds Cost.Memory is dropped with the hash; a minute after the
// last one all of it is, and the collector gives it back to the system within
// its next rounds.
//
// Invariants: an unknown account takes what a known one does (VerifyNobody; a
// cheaper stored hash is filled up to the time of today's, a dearer one cannot
// be hidden); hashes are compared in constant time; no password, hash or guess
// count reaches an error or a log.
package password
