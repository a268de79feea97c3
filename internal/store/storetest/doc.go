// Package storetest is the contract of internal/store with its callers. Each engine
// runs all of it.
//
// A case is named after the method that it tests. A method without a case fails the
// run, so that engines cannot differ untested.
package storetest
