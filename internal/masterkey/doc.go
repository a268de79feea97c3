// Package masterkey changes the master key of an installation: it seals what the
// database holds again, and says for what the former key is still needed.
//
// It does not read key files and does not decide when nodes change. It knows where
// the database holds sealed data, and nothing about that data.
//
// Invariants:
//   - A row is changed only if it still has what was read, so that a write at the
//     same time is never lost.
//   - Each batch is complete in itself. A change that was interrupted continues when
//     it is started again, and a second one does nothing.
//   - Data that neither key opens stays as it is.
package masterkey
