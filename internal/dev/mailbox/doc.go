// Package mailbox is where the mails of `portico dev` and of tests arrive: a
// real SMTP server on loopback that keeps the newest messages in memory, and a
// page that shows them as they come.
//
// It does not deliver anything to anybody, and it does not know Portico's
// mails: it shows whatever a mail reader would. Only dev and tests import it.
//
// Invariants: it listens on loopback only; memory is bounded by the number and
// the size of messages; a shown mail runs no script, loads nothing from
// elsewhere and cannot touch the page around it.
package mailbox
