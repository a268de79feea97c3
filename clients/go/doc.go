// Package client tells a web app who is signed in at Portico.
//
// An app behind the gateway, or behind a proxy that asks /auth/api/check, gets a
// signed token in the header X-Portico-Token of each request. The middleware
// verifies it offline and puts the person into the context:
//
//	portico, err := client.New("https://example.com", client.Options{})
//	...
//	http.ListenAndServe("127.0.0.1:3000", portico.Require(app))
//
// and in a handler
//
//	person, ok := client.User(r.Context())
//
// An app that gets no such header, but is reached under Portico's own host so
// that browsers send it Portico's cookie, sets Options.AskPortico: each request is
// then looked up at /auth/api/session.
//
// # What is verified
//
// The token is a JWT (RFC 7519) of the type JWT, signed with ES256 by one of the
// keys at /.well-known/jwks.json, from this issuer, for this audience, and not
// over. A request with two tokens, or with one that does not verify, is refused,
// also where a sign-in is optional: it does not come from Portico.
//
// # Keys
//
// They are fetched at the first use and kept in memory. After three minutes they
// are fetched again in the background, after five a request waits for that: a
// revoked key is refused by then. While Portico does not answer, the last keys
// count for 15 minutes, and then every token is refused with 503. A token of an
// unknown key makes the client fetch the keys at most once in two seconds,
// whatever its name: nobody can make an app flood Portico, or fill its memory.
//
// The package imports nothing but the standard library and go-jose.
package client
