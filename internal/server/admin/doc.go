// Package admin serves the admin page and its API, for people with the role
// flow.RoleAdmin who have a second factor or a passkey, and for programs with an API key.
//
// It does not decide about a change: flow.Operator judges the admin or the key again in the
// transaction of the change.
//
// Invariants:
//   - One table has all operations (operations), and one guard (guard) admits requests to
//     them. No handler judges a right itself.
//   - A caller who may not know the page gets the response of a page that does not exist:
//     a network that is not allowed, a user without the role, a path of no operation.
//   - A request with an Authorization header is that of a program. Its cookies do not count.
//   - No response has a secret of a user, or a hash of one. The secret of a key and a link for many are in one response.
//     The rejected lines of an import, which have hashes, go to the admin or the key that has sent them.
//
// The paths:
//
//	/auth/admin, /auth/admin/...   the document; the script reads the place from the path
//	/auth/api/admin/...            operations
package admin
