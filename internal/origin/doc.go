// Package origin owns what a web origin is (RFC 6454): its one spelling, and
// which hosts mean the machine itself. Origins are compared as whole strings in
// that spelling, never by prefix, suffix or pattern.
//
// It does not decide which origins are allowed to do anything.
package origin
