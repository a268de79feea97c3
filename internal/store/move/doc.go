// Package move moves a running installation from SQLite to PostgreSQL.
//
// While writes continue it copies a snapshot and compares all rows of both sides, value by
// value. Triggers of the source note the key of each row that is written meanwhile (the
// journal). The move copies and compares those rows, until few are left. Then it takes the
// write lock of SQLite: writes wait and in the end fail with a fault of the kind
// Unavailable, and reads continue. It follows once more, commits the target, and marks the
// SQLite database as Gone in the transaction that holds the lock. No process can write to
// it afterwards. When anything fails before, the source is as it was.
//
// Invariants:
//   - All rows reach the target in one transaction, which locks its tables. A row
//     that was found equal stays equal until it is committed.
//   - There is no instant at which both databases could be served. The target is
//     marked as Coming from before its first row until after the source is Gone.
//     A move that is interrupted in between is completed by the next one.
package move
