// Package issuer serves OpenID Connect to the clients of the configuration, and to guests: it
// translates between HTTP and package openid, and signs ID tokens.
//
// It does not know how users sign in. It sends the browser to the sign-in page,
// which sends it back.
//
// URLs:
//
//	/.well-known/openid-configuration, /.well-known/oauth-authorization-server
//	/auth/openid/authorize    a browser asks for a code (authorize.go)
//	/auth/openid/par          a client asks for a code in advance (push.go)
//	/auth/openid/token        a client exchanges a code or a refresh token (token.go)
//	/auth/openid/userinfo     who the user of an access token is (userinfo.go)
//	/auth/openid/device       a device waits for its user (device.go)
//	/auth/device              the user types its code, and decides (devicepage.go)
//	/auth/openid/revoke       a client gives a token back (revoke.go)
//	/auth/openid/introspect   whether a token still works (revoke.go)
//	/auth/openid/consent      the user agrees, or does not (consent.go)
//	/auth/openid/register     a client registers itself, and changes that (register.go)
//	/auth/openid/logout       an app asks to sign the user out (logout.go)
//
// The same keys sign tokens for apps. Package gateway publishes them.
//
// Invariants:
//   - A browser is sent only to an address that the client has registered. All other
//     errors end on our own page.
//   - Only these endpoints answer pages of other origins, without cookies.
package issuer
