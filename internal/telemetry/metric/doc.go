// Package metric hands the figures of every part of Portico to Prometheus. It
// is the only package that imports the client library: the parts keep plain
// counters, and internal/app gathers them into one Figures a scrape. The
// library adds the figures of the Go runtime and of the process.
//
// It does not count and does not serve: internal/server/ops does the latter.
//
// Invariants:
//   - Nothing that a request says is the value of a label: routes are named by
//     their patterns, methods, outcomes and limits by words of ours. The number
//     of series is bounded and none holds personal data.
//   - Every name is in families, from which the documentation is made and
//     against which the dashboard and the alert rules are tested. A name that
//     was released stays.
package metric
