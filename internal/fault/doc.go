// Package fault is the one error model of Portico. A fault says what kind of
// thing went wrong, under which stable code, and in which fields; it holds
// neither words nor HTTP numbers. The doors turn a fault into an answer
// (internal/server), the message catalogue turns its code into words.
//
// An error that is not a fault is internal: its text goes to the log and to
// nobody else.
//
// Every code is a constant in a file named fault.go of the package that owns
// it; internal/archtest gathers them and fails when a locale lacks the words.
package fault
