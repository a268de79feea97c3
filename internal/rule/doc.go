// Package rule owns who may pass to an app behind the door: rules by method and
// path, of which the first that matches decides, and the one spelling of a path
// that they are matched on.
//
// It does not know sessions, proxies or HTTP: whoever asks says what is known
// of the person, and carries the verdict out.
//
// The design in short. A rule is a line such as
//
//	role:admin+fresh:10m POST|DELETE /admin/*
//
// what is needed, for which methods (all, when none is named), below which path.
//
// Invariants:
//   - What no rule matches is refused.
//   - A path is matched in one spelling only; every other spelling of it is
//     refused, so that the app reads the path that was judged.
//   - Rules that grant nothing to strangers match in either letter case and with
//     or without a slash at the end, as many apps route; public ones match
//     exactly. A person is never let in by a spelling.
//   - Where a generous app would read another path (Unicode case, full-width
//     letters, a dot or blank at the end of a name), the rule of that path has to
//     be met as well. Paths in any language pass.
//   - A set in which a rule can never match, or in which an earlier and broader
//     rule takes a part of a later one, does not come about.
package rule
