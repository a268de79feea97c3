// Package sqlite keeps the store in one SQLite file.
//
// One goroutine writes: the writes that wait share a commit, and each has a
// savepoint of its own. Readers use other connections and never wait for the
// writer (WAL). The log is checkpointed on one more connection.
//
// It owns the file and what is next to it: the lock of the process that serves it, the
// copies that backups and migrations make, and the journal of a move.
//
// Invariants:
//   - A write that was acknowledged is on the disk (synchronous=FULL).
//   - Every file is readable by its owner only.
//   - One process serves a file. Other processes may read and write it.
package sqlite
