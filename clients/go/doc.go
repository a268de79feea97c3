// Package client tells a web app which user is signed in at Portico.
//
// An app behind the gateway, or behind a proxy that uses /auth/api/check, gets
// a signed token in the header X-Portico-Token of each request. The middleware
// verifies it offline and puts the user into the context:
//
//	portico, err := client.New("https://example.com", client.Options{})
//	...
//	http.ListenAndServe("127.0.0.1:3000", portico.Require(app))
//
// and in a handler
//
//	person, ok := client.User(r.Context())
//
// An app under Portico's own host may get no such header, while browsers send
// it Portico's cookie. It sets Options.AskPortico: the client then checks each
// request at /auth/api/session.
//
// # What is verified
//
// The token is a JWT (RFC 7519) of the type JWT, signed with ES256 by one of
// the keys at /.well-known/jwks.json. It must come from this issuer, be for
// this audience and not have expired. A request with two tokens, or with an
// invalid one, is refused even where a sign-in is optional, because it does not
// come from Portico.
//
// # Keys
//
// The client fetches the keys at the first use and keeps them in memory. After
// three minutes it fetches them again in the background. After five minutes
// requests wait for the fetch, so a revoked key is refused by then. While
// Portico does not answer, the last keys are valid for 15 minutes. After that
// every token is refused with 503.
//
// A token of an unknown key makes the client fetch the keys at most once in two
// seconds, whatever the key id is. So an attacker cannot make an app flood
// Portico, or fill the app's memory.
//
// # Administration
//
// Admin calls the admin API with a key. It reads lists to their end, waits at a limit, and
// repeats a change so that it is carried out once.
//
// The package imports only the standard library and go-jose.
package client
