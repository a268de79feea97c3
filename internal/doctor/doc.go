// Package doctor tests the dependencies that `config check` does not contact:
// the database, the mail server, the providers, the apps, and the path from the
// public URL to this installation.
//
// It owns the list of checks, the judgment of their results, and the advice.
// The packages that Portico uses for serving make the connections.
//
// Invariants:
//   - It changes nothing: it creates no file or key, migrates no schema, sends
//     no email and does not write to the database.
//   - Checks run at the same time, each with its own time limit. Their findings
//     are always in the same order.
//   - No finding contains a secret.
package doctor
