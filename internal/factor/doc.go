// Package factor owns the second factors of an account: the secrets of
// authenticator apps and the recovery codes.
//
// It knows when a code is right and that a code works once. It does not count
// wrong codes, hash recovery codes, or decide when a factor is asked for. Package
// flow does, with throttle and password.
//
// Time-based codes (RFC 6238) are computed here with crypto/hmac. The libraries for them do
// not return the time step of a code, without which a code could be used twice.
//
// Invariants:
//   - Secrets are sealed under the master key, bound to their factor and account.
//     None is returned after the enrolment.
//   - A factor remembers its newest step in one conditional update. One of any number of
//     parallel uses of a code succeeds, whatever the node.
//   - An earlier code than the newest used one is refused too.
//   - A recovery code is stored as a hash, and works once, by one conditional
//     update. A new set replaces the whole old set.
package factor
