// Command generate creates the filter of internal/breach from a published word
// list. It downloads the list with npm into a temporary folder and checks its
// hash, so that every machine produces the same bytes. The repository contains
// only a sample of the list, for the tests.
//
// Run it with `go generate ./internal/breach`.
package main
