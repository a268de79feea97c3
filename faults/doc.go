// Package faults holds the fault tests FLT-nn: what the product promises when
// it is killed, when its mail server misbehaves and when it is flooded. They
// drive the real binary from outside; a fault is never a switch of the product.
//
// `go test` runs the quick form; `make faults` all kills, waits and samples.
// Each test prints its figure.
package faults
