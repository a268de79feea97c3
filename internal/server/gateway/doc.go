// Package gateway protects the apps behind Portico. It decides by their rules which
// requests may pass, forwards them as a reverse proxy, and tells the app which
// user is signed in. It publishes the keys by which apps verify that.
//
// It does not know how users sign in. It redirects to the sign-in page if a
// request needs a session.
//
// URLs, besides the paths of apps:
//
//	/auth/api/check          forward-auth for other proxies (check.go)
//	/.well-known/jwks.json   the keys that verify tokens (keyset.go)
//	/.well-known/oauth-protected-resource   which server issues tokens for an app (resource.go)
//	/auth/enter, /auth/arrive   the session's way to an app's own host (cross.go)
//	/auth/signout            on an app's own host
//
// A request to an app passes these steps:
//  1. The path must have its one valid spelling, unless the app takes paths as
//     they are sent. It determines the app and the rule, which names the need
//     (package rule).
//  2. The session is checked, or the access token, if the app takes them. Without one, a navigation is redirected to the
//     sign-in page and comes back. A fetch, an event stream or a WebSocket gets
//     401 with the URL of that page.
//  3. Portico's cookies are removed, and every header that the app could take
//     for an identity header. Then the identity is added.
//  4. The app gets exactly the target that was judged.
//
// Invariants:
//   - An app reads identity headers only from Portico. This holds for layers that
//     fold names (CGI, WSGI, PHP), and for headers that the client calls
//     hop-by-hop.
//   - No app gets a cookie of Portico, and no app can set one.
//   - An app gets no cookie that it set for another user
//     (turn.go).
//   - Only the configured upstreams are dialed. Redirects are passed on.
//   - If a session cannot be checked, the response is an error. The visitor never
//     counts as signed out.
//   - If an app does not respond, only its own visitors notice. Its circuit opens
//     when it does not answer Portico's own request (circuit.go).
//   - A request that is open when its session ends is ended within seconds. One
//     watcher does this for all requests.
package gateway
