// Package upgrade tests that this version takes over the databases of all
// versions before it. testdata has a folder for each released version: its SQLite
// file and the dump of its PostgreSQL database, compressed, with rows in every
// table, and their master key. `make fixture` writes the folder of a new release.
package upgrade
