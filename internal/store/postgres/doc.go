// Package postgres keeps the store in a PostgreSQL database that any number of
// nodes share.
//
// Each write is one transaction and is retried after a conflict. It leaves a key together
// with what it changes, so that a commit whose answer is lost is neither lost nor done
// twice (docs/decisions/0008-postgresql.md).
//
// Invariants:
//   - All steps of a request together wait 1.4 s at most, or answer_within of the
//     URL, so that a visitor gets a response within two seconds.
//   - While connections fail, each node tries one a second.
//   - Nothing depends on the state of a connection between two transactions, so
//     that a pooler may stand in front.
package postgres
