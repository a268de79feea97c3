// Package cli owns the commands of the operator: it reads flags, builds the
// application and calls the same flows as the doors do.
//
// Rules of its output: data goes to standard output, everything else to
// standard error; messages begin in lower case and have no full stop, but for
// the words of faults, which are those of the screens; with --json data is one
// JSON document. Exit codes: 0 done, 1 failed, 2 wrong usage
// or configuration, 3 nothing found, 4 it exists already.
package cli
