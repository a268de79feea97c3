// Package password owns the rules for new passwords, the stored hash, the
// comparison, and the admission of this expensive work to the processor.
//
// It does not know the account of a password, store hashes, or limit attempts.
// Packages flow and throttle do.
//
// # Text
//
// A password is compared as typed, after Unicode NFC (NIST SP 800-63B-4 3.1.1.2), so
// that the same letters match on every keyboard. Nothing is trimmed, folded or cut.
// Case, spaces and compatibility forms (a ligature and its letters) make different
// passwords, and each of up to 256 code points counts. NUL and invalid UTF-8 are
// refused with a message, because databases treat them differently.
//
// # Hash
//
// Argon2id (RFC 9106), then HMAC-SHA-256 under a key derived from the master key (the
// keyed step of NIST SP 800-63B-4 3.1.1.2). So a stolen database alone does not allow
// guessing. The stored value is a PHC string, in which keyid names the master key:
//
//	$argon2id$v=19$m=19456,t=2,p=1,keyid=<8>$<salt: 16 bytes>$<32 bytes>
//
// The keyed step comes last, so that a plain Argon2id hash can be brought under the
// key without its password. A hash of another cost, key or salt length still verifies.
// Verify then says that it should be replaced.
//
// # Hashes of other systems
//
// Verify also takes the hashes of other systems (package foreign), as they come or in the
// form of Adopt: the digest is replaced by its keyed hash. They run in the slots, and a match
// should always be replaced. They are compared with the password in NFC, and as typed if
// that differs, because other systems hash what was typed.
//
// # Rule
//
// A new password:
//   - has at least Policy.Min code points (8, or 15 in the profile nist)
//   - is not on the list of breached passwords
//   - is not a listed word with a few characters added
//   - withstands 20 million guesses as zxcvbn counts them, by an attacker that knows
//     the user's address and the names of the site
//
// No mixture of character classes is required. The rule judges the password without
// accents and repetition, and of that 48 code points in two halves, one of which must
// be strong enough. This bounds the work: 14 ms for the most expensive
// password found, usually 0.4 ms.
//
// # Admission
//
// Hashing and judging run in slots, one per core. A caller without a free slot waits in
// a bounded queue, first come first served. If the queue is full or the wait would be
// too long, the caller is refused at once. The fault is CodeBusy with the time after
// which the queue will be empty. Other work, such as session checks, never waits here.
//
// A slot owns the memory of its hashes (package argon2). The memory is wiped after each
// hash and kept for the next. So a storm of sign-ins takes at most slots times
// Cost.Memory. A stored hash of a higher cost or of another system, up to 256 MiB, takes
// more, which is dropped after the hash. A minute after the last hash all of the memory is dropped, and
// the garbage collector returns it to the system.
//
// # Invariants
//
//   - A sign-in with an unknown account takes the same time as with a known one
//     (VerifyNobody). A hash of a lower cost and a foreign hash are filled up to the time
//     of the current cost. A hash of a higher cost cannot be hidden (Weigh).
//   - Hashes are compared in constant time.
//   - No password, hash or guess count reaches an error or a log.
package password
