// Package rule owns the access rules of apps. A rule names paths, methods and a
// need; the first rule that matches a request decides. The package also owns the
// one spelling of a path that rules match.
//
// It does not know sessions, proxies or HTTP. The caller supplies what it knows
// about the signed-in user, and acts on the verdict.
//
// A rule is a line with a need, optional methods (all when none are named) and a
// path, such as
//
//	role:admin+fresh:10m POST|DELETE /admin/*
//
// Invariants:
//   - A request that no rule matches is refused.
//   - A path is matched in one spelling only. Every other spelling is refused, so
//     that the app reads the path that was judged. An app can ask for more
//     spellings (Readings). The request must then satisfy the rules of every
//     path that an app may read.
//   - Rules that are not public ignore letter case and a slash at the end, as
//     many apps do. Public rules match exactly. So another spelling never gives
//     access.
//   - If a lenient app could read the path as another one (Unicode case,
//     full-width letters, a dot or blank at the end of a name), the request must
//     also satisfy the rule of that path. Paths in any language pass. The same holds where a
//     program that answers for two apps could read it as a path of the other one.
//   - New refuses rules that can never match, and rules that partly hide a later
//     rule.
package rule
