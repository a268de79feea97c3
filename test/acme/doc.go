// Package acme tests that a Portico gets its certificates from a real ACME
// authority: Pebble, the test server of Let's Encrypt.
//
// It is a module of its own, because Portico itself needs nothing of Pebble.
package acme
