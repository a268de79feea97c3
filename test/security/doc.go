// Package security holds the executable security suite: each number of the
// corpus is a test TestSECnnn that attacks a whole Portico over its listeners,
// as somebody from outside would. What the product does not have yet is listed
// with the reason (catalogue_test.go) and printed; it never counts as passed.
//
// It knows nothing of the inside but how to build the application with a clock,
// a mail server and a database file of its own, and the commands of an
// operator. `go test` runs the quick form; `make security` every sample and
// round.
package security
