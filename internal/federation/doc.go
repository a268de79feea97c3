// Package federation signs users in at external identity providers. It makes the
// request, judges the callback and returns a verified identity. It knows OpenID
// Connect by issuer, and the presets google, microsoft, apple, github, gitlab,
// discord, facebook and linkedin.
//
// It does not find or create accounts, keep anything between the two steps, or
// speak HTTP to the browser. The caller (flow) binds each attempt to a browser,
// lets it be used once, lets it expire, and seals Begun.Pending in between.
//
// Invariants:
//   - An identity is the pair (issuer, subject). An email address is a hint.
//     Identity.EmailVerified is true only when the operator trusts the provider
//     for addresses, and the document with the address also has the boolean true
//     (OpenID Connect Core 5.7).
//   - Only the authorization code flow is used, with state, nonce and PKCE S256.
//     Exceptions: linkedin refuses the PKCE verifier and leaves the nonce out;
//     github, discord and facebook speak OAuth 2.0, which has no nonce.
//   - An answer of one provider is never taken for that of another (RFC 9207,
//     RFC 9700 4.4). Each provider has its own callback address, the attempt
//     names its provider, and iss is checked where it is sent or promised.
//   - An ID token is signed with an asymmetric algorithm of our list, by a key
//     that the provider publishes. It has one audience, and its hashes are those
//     of the answer. Clocks may differ by 60 s.
//   - Identity.SignedInAt is the provider's auth_time and nothing else.
//   - No request goes to a provider before a visitor presses its button. A
//     provider that is down fails quickly and affects no other. Documents that
//     were loaded before stay in use meanwhile.
//
// Package egress checks addresses, limits size and time, and refuses redirects.
package federation
