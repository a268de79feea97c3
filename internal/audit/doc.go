// Package audit owns the record of what happened: who did what to whom, when,
// from where, and how it ended.
//
// It does not decide or notify. Facts are only ever added.
//
// Invariants: a fact is written in the transaction of the change it tells of,
// so neither exists without the other; no fact holds a secret or free text of
// a stranger.
package audit
