// Package apptest runs a whole Portico for the tests of the doors, and visits
// it as a browser without script does.
//
// It fakes nothing but the clock and the mailbox; its documents are tiny ones,
// so that no test depends on the built front end.
package apptest
