// Package federation signs people in at external identity providers: it makes
// the request, judges the callback and returns a verified identity. It knows
// OpenID Connect by issuer and the presets google, microsoft, apple, github,
// gitlab, discord, facebook and linkedin.
//
// It does not create or find accounts, keep anything between the two steps, or
// speak HTTP to the browser. The caller (flow) binds each attempt to a browser,
// makes it single use and expire, and seals Begun.Pending in between.
//
// Invariants:
//   - An identity is the pair (issuer, subject). A mail address is a hint, and
//     Identity.EmailVerified is true only when the operator trusts the provider
//     for addresses and the provider says true in so many words, in the same
//     document as the address (OpenID Connect Core 5.7).
//   - Authorization code only, with state, a nonce and PKCE S256. Exceptions:
//     linkedin refuses the PKCE verifier and leaves the nonce out; github,
//     discord and facebook are OAuth 2.0, where no nonce exists.
//   - Each provider has its own callback address, the attempt names its
//     provider, and `iss` is checked where it is sent or promised: an answer of
//     one provider is never taken for another's (RFC 9207, RFC 9700 4.4).
//   - ID tokens: allow-listed asymmetric algorithms, keys of the provider's own
//     published set only, one audience, at most 60 s of clock skew.
//   - Nothing is asked of a provider before somebody presses its button. One
//     that is down fails its own button, quickly, and nothing else; documents
//     that were fetched stay in use while it is away.
//
// The address guard, the size and time limits and the refusal of redirects are
// those of internal/egress.
package federation
