// Package fault is the error model of Portico. A fault has a kind, a stable code,
// and the fields that are wrong. It has neither texts nor HTTP statuses: package
// server turns a fault into a response, and the message catalogue turns its code
// into a text.
//
// An error that is not a fault is internal. Its text is only logged.
//
// Every code is in a file named fault.go of the package that owns it, and has a constant if it is needed twice.
// internal/archtest collects the codes and fails if a locale has no text for one.
package fault
