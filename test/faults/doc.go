// Package faults holds the fault tests FLT-nn: what the product promises when
// it is killed, when what it depends on misbehaves and when it is flooded. Most
// drive the real binary from outside; those that come through its clock run the
// application in the test. A fault is never a switch of the product.
//
// `go test` runs the quick form; `make faults` all kills, waits and samples.
// Each test prints its figure.
package faults
