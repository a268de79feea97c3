// Package tally counts what happens so that somebody else can show it. It
// knows no system of metrics: a part of Portico keeps a Histogram beside its
// plain counters and hands out copies; internal/telemetry/metric turns them into what
// Prometheus reads.
//
// Invariants: counting allocates nothing and takes no lock, because the session
// check does it; the buckets are fixed when the Histogram is made, so that
// nothing a request says makes it grow.
package tally
