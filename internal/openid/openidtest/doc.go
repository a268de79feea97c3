// Package openidtest is an OpenID client for tests: the requests and forms that
// it sends, the answers that it gets, and the keys by which it signs.
//
// It is the client "rp", which has Secret and returns to Back. A test gives it to
// Portico as a setting, and sends the requests in its own way.
package openidtest
