// Package mailbox receives the emails of `portico dev` and of tests. It is an
// SMTP server on loopback that keeps the newest messages in memory, and a page
// that shows them as they arrive.
//
// It delivers nothing, and knows nothing about Portico's emails: it shows any
// message as a mail reader would. Only dev and tests import it.
//
// Invariants:
//   - It listens on loopback only.
//   - The number and the size of messages are bounded.
//   - A shown message runs no script, loads nothing from other sites and cannot
//     change the page around it.
package mailbox
