// Package passkey owns the passkeys of an account: WebAuthn credentials (Level 3)
// that an authenticator finds without a user name and uses after it has verified
// its user.
//
// It makes challenges, checks the answers of authenticators with
// go-webauthn/webauthn, and knows the names of authenticators. It does not decide
// who may add a passkey or what a sign-in is worth. Package flow does.
//
// Invariants:
//   - A challenge has 128 random bits and needs no row. A keyed hash binds it to
//     its purpose, the browser, the subject and its end after five minutes.
//   - A challenge is used once, on all nodes, by one conditional statement. It is
//     used up even when the answer is refused.
//   - An answer counts only with user verification, for the host of public_url,
//     from a listed origin that is not framed by another one.
//   - The key of an account decides who signs in. A user handle must agree with it.
//   - Whether a passkey may be copied to other devices never changes (BE), once the
//     first use has told it of one whose former system did not. The signature
//     counter never goes back for one that may not.
package passkey
