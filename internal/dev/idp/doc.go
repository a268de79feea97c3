// Package idp is the external identity provider of `portico dev`: an OpenID
// provider on loopback that signs in whoever one says one is. It follows the
// protocol as a real one does (discovery, authorization code with PKCE S256,
// exact redirect address, codes that work once and for 60 seconds, ES256 ID
// tokens with auth_time, UserInfo, the issuer in every answer). A person who
// wants to stay signed in is not asked again, unless the client sends prompt or
// max_age. So what works here works there.
//
// It owns one client, some sample people and a page. It keeps everything in
// memory and proves nothing about anybody: only the command `portico dev` may
// import it, and New refuses an issuer that is not on loopback.
package idp
