// Package faults holds the fault tests. Each test TestFLTnn breaks something under
// Portico or floods it, and checks what docs/operating/faults.md promises for that
// case. catalogue_test.go says in one sentence what each number breaks; `go test
// -v` prints it and the figures of the test.
//
// Most tests drive the real binary. Tests that change its clock run the
// application inside the test process. The product has no switch that causes a fault.
// `go test` runs the short form, `make faults` every kill, wait and sample.
package faults
