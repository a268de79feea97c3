// Package cluster lets the processes that share a database, the nodes, agree
// without another service.
//
// A Lease chooses the one node that does work which must be done once. A Node
// finds out in which settings the nodes differ. The package does not know what
// the work or the settings are, and it changes neither: nodes whose settings
// differ keep serving, because an operator changes one after the other.
//
// # How
//
// Each lease and each node is a row with a beat, a counter that its owner
// raises while it lives. A beat that stands still for LeaseFree or NodeGone
// means that the owner is gone. The clocks of two machines are never compared.
//
// # Invariants
//
//   - One caller at a time holds a lease. Hold writes the row in the transaction
//     of the work, which locks the row. A process that was frozen past the end of
//     its lease either still has the row, or finds another owner and does nothing.
//   - The rows of nodes hold keyed hashes of the settings. Without the master
//     key they show only the names of settings and when one changed.
//   - The row of a node that ended without Leave counts only for nodes that saw
//     it alive, and is deleted after a time.
package cluster
