// Command generate makes the filter of internal/breach from a published word
// list. It fetches the list with npm into a temporary folder and checks its
// hash, so that the same bytes come out on every machine; nothing of the list
// but a sample for the tests is kept in the repository.
//
// Run it with `go generate ./internal/breach`.
package main
