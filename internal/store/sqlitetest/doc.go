// Package sqlitetest opens a database for the tests of a package: a real SQLite file
// with the whole schema.
package sqlitetest
