// Package tally counts events in histograms. It does not know Prometheus. A part of Portico
// keeps a Histogram next to its plain counters and returns copies, which
// internal/telemetry/metric gives to Prometheus.
//
// Invariants: counting allocates nothing and takes no lock, because the session
// check does it; the buckets are fixed when the Histogram is made, so that
// nothing a request says makes it grow.
package tally
