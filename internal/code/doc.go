// Package code owns the secrets that prove a mailbox: a six-digit code to type
// and a link to press, made together and mailed together.
//
// It knows when a secret expires, and that it works once. It does not choose the channel, count wrong guesses (that is
// internal/throttle, before this package is asked) or know what happens next.
//
// Invariants:
//   - Digits are kept as a keyed hash bound to their flow, links as a plain
//     hash: neither can be used from the database.
//   - The code holds in its own flow only; the link holds in any browser.
//   - The two newest secrets of a flow hold, so that a re-send does not kill
//     a code on its way; using one ends all of the flow.
//   - Redeeming is one conditional update. One of any number of parallel attempts succeeds.
package code
