// Package server is the kit of the HTTP doors: what every request passes and
// every answer carries, so that no door can forget it.
//
// It owns the mux on which doors mount themselves, the request id, the client
// address, the host and request-target checks, the cross-origin guard, our
// cookies, strict decoding of input, problem documents (RFC 9457), security
// headers, precompressed content, the access log and the limits of the HTTP
// server. It does not know what any route does, who is signed in, or any SQL.
//
// Invariants: nothing that a client sends (Host, Forwarded, X-Forwarded-*)
// reaches a link, a cookie or a redirect, only the configured public URL does;
// the text of an error goes to the log and to nobody else; neither query
// strings nor bodies are logged; one panic costs one request.
//
// Order of a request: request id and security headers, panic guard, shape of
// the target, host, size of the cookies, client address, route, cross-origin
// guard, framing and size of the body, handler.
package server
