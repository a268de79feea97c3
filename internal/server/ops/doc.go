// Package ops serves the operations listener: /livez, /readyz and /metrics.
//
// It has no authentication. The listener is on the loopback address unless the
// operator configures another one. The package collects no metrics; it serves a
// given handler.
package ops
