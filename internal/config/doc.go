// Package config owns the settings of an installation: their names, defaults,
// meanings and checks, and where each value comes from. Settings come from one
// file, portico.toml, and from environment variables, which win. Settings of
// [[app]] tables have no environment variables.
//
// It does not open databases, look up hosts or decide what a setting does. Only
// internal/app, internal/cli, internal/doctor and internal/dev import it.
//
// Invariants:
//   - The table of keys is the only list of settings. Loading, showing and the
//     documentation use it.
//   - One run finds all problems. Each problem names its place and what to
//     write instead.
//   - No problem quotes a secret.
package config
