// Package security holds the security suite. Each test TestSECnnn attacks a whole
// Portico over its listeners, as a stranger on the network would. attacks_test.go
// says in one sentence what each number attacks; `go test -v` prints it. It lists
// the attacks by subject, and the names of the files begin with the subject; kit_
// is for what all of them use. The suite also prints the numbers whose feature
// the product does not have yet: they never count as passed.
//
// The tests use the inside of the product only to build it with a clock, a mail
// server and a database of their own, and to run the commands of an operator.
// `go test` runs the short form, `make security` every sample and round.
package security
