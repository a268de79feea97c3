// Package upstream asks an app over HTTP/1.1 what can be asked without a body.
//
// That is most of what browsers ask. The goroutine that asks writes the request
// and reads the answer itself: http.Transport has two more goroutines for each
// connection and hands every request to one and takes every answer from the
// other, which costs more than the rest of passing a request on. What has a body
// or changes the protocol is left to it. Reading an answer is net/http's work
// here as well.
//
// Invariants:
//   - A connection is used again only after an answer that ended where its header
//     said, with nothing behind it, then or by the time it is taken again: what an
//     app sends without being asked never becomes the answer to another request.
//   - A request is sent a second time only because an old connection ended without
//     a byte of an answer, once, on a new one. It is of a method that only reads.
//   - Whoever gives up ends the connection, so that the app learns of it.
//   - Nothing that is written can begin another header or another request.
package upstream
