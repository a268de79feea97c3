// Package apptest runs a complete Portico for tests of HTTP handlers, and
// visits it as a browser without script.
//
// Only the clock and the delivery of emails are fakes. The screens are tiny
// documents, so that no test depends on the built front end.
package apptest
