// Package cli owns the operator's commands. It reads flags, builds the
// application and calls the same flows as the HTTP handlers.
//
// Rules of the output:
//   - Data goes to standard output, everything else to standard error.
//   - Messages begin in lower case and have no full stop. Faults use the words
//     of the screens instead.
//   - With --json, data is one JSON document.
//   - Text from outside is printed without control characters.
//
// Exit codes: 0 success, 1 failure, 2 wrong usage or configuration, 3 not
// found, 4 already exists.
package cli
