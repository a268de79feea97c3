// Package trust owns the browsers in which an account is not asked for its second
// factor: their tokens, and when the trust ends.
//
// It does not decide for which sign-ins trust counts, or when it is offered. Package
// flow does.
//
// Invariants:
//   - A token is 256 random bits and is made anew each time. The database has its
//     SHA-256.
//   - A token belongs to one account. The cookie of a browser holds the tokens of a
//     few accounts.
//   - Trust is given for the credentials that an account has at that moment: their
//     fingerprint covers all of them. Any change of a credential ends it, also a change
//     that does not know of this package.
//   - Trust ends Life after it was given, however often it is used.
package trust
