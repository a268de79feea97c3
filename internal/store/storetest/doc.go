// Package storetest is the contract of internal/store: what the rooms may rely
// on, whatever the engine. Each engine runs all of it.
//
// A case is named after the method that it is about, and a method without a
// case fails the run: an engine cannot differ where nobody looks.
package storetest
