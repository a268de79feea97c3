// Package idp is the external identity provider of `portico dev`: an OpenID
// provider on loopback that signs in any person that a visitor chooses or
// types.
//
// It follows the protocol as a real provider does, so that a client that works
// here works there:
//   - discovery, and the authorization code flow with PKCE S256
//   - exact comparison of the redirect address
//   - codes that work once, for 60 seconds
//   - ES256 ID tokens with auth_time, and UserInfo
//   - the issuer in every authorization response (RFC 9207)
//   - a session in the browser, which prompt and max_age override
//
// It has one client and some sample people, keeps everything in memory and
// proves nothing about anybody. Therefore only `portico dev` may import it, and
// New refuses an issuer that is not on loopback.
package idp
