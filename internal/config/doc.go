// Package config owns the settings of an installation: their names, defaults,
// meaning and checks, and where each value came from. One file, portico.toml,
// holds them; every key is an environment variable as well, which wins.
//
// It does not open databases, look up hosts or decide what a setting does. Only
// internal/app, internal/cli and internal/dev read it.
//
// Invariants: the table of keys is the only list of them: loading, showing and
// the documentation are made from it. All problems are found in one run, each
// with its place and with what to write. No problem quotes a secret.
package config
