// Package node tells the processes that share a database which of their
// settings differ.
//
// It does not know what the settings are, and changes none of them: nodes that
// differ serve on, since one has to be changed after the other.
//
// # How
//
// Each node keeps a row: a keyed hash of each setting, and a beat that it raises
// each time it looks. A row counts while its beat moves. Nobody compares the
// clocks of two machines.
//
// # Invariants
//
//   - The rows tell whoever reads the database, without the master key, nothing
//     about the settings but their names, and when one changes: secrets are among
//     them.
//   - What a node leaves behind that ended without a farewell counts for nobody
//     who did not see it alive, and is deleted by whoever sees it first.
package node
