// Package ops serves the operations listener: /livez, /readyz and /metrics.
//
// It has no authentication. The listener is on the loopback address unless the
// operator configures another one. The package collects no metrics; it serves a
// given handler.
//
// Invariant: /metrics answers no page of a stranger. /livez and /readyz answer under any
// name, because they tell no more than a connection does, and a load balancer that gets no
// answer from them takes the node away.
package ops
