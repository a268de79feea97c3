// Package server is the HTTP framework of Portico: the part of a request and of
// a response that is the same for every handler.
//
// It owns:
//   - the Mux, on which each handler mounts its routes
//   - request ids, client addresses, and the checks of host and request target
//   - the cross-origin guard, cookies and strict decoding of input
//   - problem documents (RFC 9457), security headers and precompressed content
//   - redirects, and where a page that goes on takes their place
//   - the access log, and the limits of the HTTP server
//
// It does not know what a route does, who is signed in, or any SQL.
//
// Invariants:
//   - Links, cookies and redirects use the configured public URL. No request
//     header (Host, Forwarded, X-Forwarded-*) changes them.
//   - The text of an error is only logged.
//   - Query strings and bodies are never logged.
//   - A panic fails one request.
//
// A request passes these steps in order: request id, panic guard, request
// target, host, size of the cookies, client address, route, cross-origin guard,
// framing and size of the body, handler. Security headers are added when the
// response begins.
package server
