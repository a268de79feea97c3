// Command generate writes the dictionaries of github.com/trustelem/zxcvbn, at
// the version of go.mod, as the sorted list that internal/password/zxcvbn
// searches.
//
// Run it with `go generate ./internal/password/zxcvbn`.
package main
