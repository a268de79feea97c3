// Package metric turns the figures of every part of Portico into what
// Prometheus reads. It is the only place that knows Prometheus: the parts keep
// plain counters, and internal/app gathers them into one Figures a scrape.
//
// It writes the text format itself: all figures are copies of counters that
// others keep, and the client library of Prometheus, which keeps them itself,
// would add 2.5 MB to the binary, most of it protobuf. Tests read what is
// written with the library's parser and its linter.
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
