// Package sqlitetest opens the database of a room's tests: a real SQLite file
// with the whole schema.
package sqlitetest
