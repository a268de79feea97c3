// Package federation signs users in at external identity providers. It makes the
// request, judges the callback and returns a verified identity. It knows OpenID
// Connect by issuer, and the presets in preset.go.
//
// The steps and the URLs of one attempt:
//
//	Begin, BeginAgain  redirects to the provider's authorization endpoint
//	                   the provider redirects to /auth/provider/{id}/callback
//	Finish             redeems the code at the token endpoint, and asks the
//	                   UserInfo endpoint if the ID token lacks the email address,
//	                   or the claim of the roles
//
// The issuer's /.well-known/openid-configuration names the endpoints and the keys.
//
// It does not find or create accounts, keep anything between the two steps, or
// speak HTTP to the browser. The caller (flow) binds each attempt to a browser,
// accepts it once, lets it expire, and seals Begun.Pending in between.
//
// Invariants:
//   - An identity is the pair (issuer, subject). An email address is a hint.
//     Identity.EmailVerified is true only when the operator trusts the provider
//     for addresses, and the document with the address also has the boolean true
//     (OpenID Connect Core 5.7).
//   - Only the authorization code flow is used, with state, nonce and PKCE S256.
//     Presets with refusesPKCE or omitsNonce are the exceptions, and so are the
//     presets for OAuth 2.0, which has no nonce.
//   - A response from one provider is never accepted for another (RFC 9207,
//     RFC 9700 4.4). Each provider has its own callback address, the attempt
//     names its provider, and iss is checked where it is sent or promised.
//   - An ID token is signed with an asymmetric algorithm of our list, by a key
//     that the provider publishes. Its audience is the client, with others only if
//     the operator names them and azp is the client. Its hashes match the code and
//     the access token. Clocks may differ by 60 s.
//   - Identity.SignedInAt is the provider's auth_time and nothing else.
//   - No request goes to a provider before a visitor presses its button. A
//     provider that is down fails quickly and affects no other. Documents that
//     were loaded before stay in use meanwhile.
//
// Package egress checks addresses, limits size and time, and refuses redirects.
package federation
