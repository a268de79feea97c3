// Package egress makes the HTTP client for requests to servers that Portico
// does not run: identity providers and lookup services.
//
// A response of such a server may contain addresses that an attacker chose.
// Therefore the client is a guard (OWASP ASVS 5.0 1.3.6, 13.2.4, 15.3.2). It
//
//   - connects to public addresses only, judged on the address that is really
//     dialed, after name resolution. So a name that resolves to an internal
//     address after the check (DNS rebinding) gains nothing;
//   - reaches private and loopback addresses, and speaks plain HTTP, only for
//     the origins that the operator has named;
//   - follows no redirect: a code or a secret is never posted a second time;
//   - ends every exchange after a fixed time and a fixed number of bytes;
//   - takes only the proxy that it is given, and judges the server behind it as
//     without one (proxy.go).
//
// It does not look at contents, and it knows no protocol. Only Get, GetJSON and PostJSON
// judge the status of an answer, and the last two its type.
package egress
