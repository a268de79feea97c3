// Package gateway is the door behind which apps stand: it decides by their rules
// who may pass, passes requests on as a reverse proxy, and tells the app who is
// there. It publishes the keys by which apps verify that.
//
// It does not know how people sign in, and it changes nothing: what needs a
// session is sent to the sign-in page.
//
// A request on its way to an app:
//  1. Its path is taken in one spelling or refused, and finds the app and the
//     rule, which names what is needed (internal/rule).
//  2. The session is checked; a navigation without one goes to the sign-in page
//     and comes back, a fetch, an event stream or a WebSocket is answered 401
//     with the address of that page.
//  3. What the client sent under any name that an app could take for ours is
//     removed, our cookies as well; then the identity is put on.
//  4. The app gets the very target that was judged.
//
// Invariants:
//   - An app reads identity headers from us only, also through a layer that folds
//     names (CGI, WSGI, PHP), and whatever the client calls hop-by-hop.
//   - No app sees a cookie of ours, and none can set one.
//   - No app gets, with the request of one person, a cookie that it has set for
//     another (turn.go).
//   - Only the configured upstreams are dialled; redirects are passed on.
//   - What cannot be decided is not passed: the check of a session that fails is
//     an error, never a visitor.
//   - An app that does not answer costs its own visitors a page, and nobody else
//     anything. What closes it is a request of ours that it leaves unanswered.
//   - A request that is open when its session ends is ended within seconds, by
//     one watcher for all of them.
package gateway
