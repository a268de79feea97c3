// Package openid owns what Portico gives to OpenID clients: the clients themselves,
// what their requests may ask for, grants, and the codes and tokens of a grant.
//
// It does not sign ID tokens, parse HTTP or know how users sign in.
//
// A grant is one row: one user, one client, one session, the granted scopes. Its
// code, refresh tokens and access tokens name the row and have a keyed hash.
// So the database holds no secret that works, and a token costs no row of its own.
//
//	code           works once, for 60 seconds
//	refresh token  has a generation; each use replaces it by the next one
//	access token   has the generation of its refresh token, an end, and its resources;
//	               in JWT form it is the same content, signed in place of the hash
//
// A token for a client itself has no row. It has a row while it is revoked.
//
// A client that has registered itself is one row too. An initial token of the operator lets it
// do so, and a token of its own lets it change that. The row ends when it is not used.
//
// A grant ends:
//   - with its session, or after offlineLife if its scopes have offline_access; its row then stays
//     until the session has ended, so that the client is told
//   - when its account is disabled or gets a new password, by the credential
//     version of the account; this needs no search for grants
//   - when its code or an old refresh token is used again
//   - when the client revokes it
//
// Invariants:
//   - One conditional statement of the store decides who redeems a code, and who
//     uses a refresh token.
//   - A lost answer can be asked for again: for repeatWithin, a used refresh token
//     gives the same next one. After that it ends its grant, and no other.
//   - A token is checked with its grant, account and session at every use.
//   - The scopes of a grant never grow.
package openid
