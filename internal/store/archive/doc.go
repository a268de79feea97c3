// Package archive writes everything of an installation to one file of JSON lines, and makes an
// empty database that installation again, on either engine.
//
// The first line says what the file is. Each other line is a row of a table, and the last one has
// the number of rows and the hash of all lines before. The values that the master key seals are
// opened, and the key of the password hashes comes along as that of a former master key
// (docs/decisions/0034-changing-the-master-key.md). So an archive can be read without the master key: Seal encrypts it for an age
// recipient before it reaches a disk.
//
// People reads only the people, for other software, whose forms package people writes.
//
// Invariants:
//   - An archive has one state of all tables.
//   - A database gets all rows of an archive or none.
package archive
