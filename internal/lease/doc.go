// Package lease chooses, of the processes that share a database, the one that
// does what needs doing once.
//
// It does not know what that is.
//
// # How
//
// A lease is a row: its name, who holds it, and a beat that the holder raises
// while it lives. Who wants it watches the beat, and takes the row when it has
// not moved for Free, or when the holder has given it back. Nobody compares the
// clocks of two machines.
//
// # Invariants
//
//   - Hold writes the row in the transaction of the work, so the row is locked
//     until that is done: a process that was frozen past the end of its lease
//     either still has the row, or finds that it is another's and does nothing.
//   - Of any number of callers one holds the lease.
package lease
