// Package doctor tries what `config check` cannot know without touching the
// world: whether the database, the mail server, the providers, the apps and the
// way from the public URL to this installation work.
//
// It owns what is tried, how a finding is judged and what to do about it. How a
// thing is reached is known by the package that reaches it when Portico serves,
// and asked there.
//
// Invariants:
//   - Nothing is changed: no file is made, no schema migrated, no key created, no
//     mail sent, and nothing is written to the database.
//   - Everything is tried, each within its own time and beside the others; the
//     order of the findings is always the same.
//   - No finding holds a secret.
package doctor
