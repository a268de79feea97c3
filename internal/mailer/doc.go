// Package mailer writes mails and hands them to an SMTP server.
//
// It owns the templates (their structure; the words are in the message
// catalogue under mail.<template>), the message format and the SMTP dialogue.
// It does not decide who gets a mail nor when it is tried again: that is the
// outbox, which sees only whether a failure is permanent and whether the
// outcome is certain.
//
// Invariants:
//   - One message, one recipient. An address that is not plain is not sent to.
//   - No value reaches a header, a link or the structure of a mail as anything
//     but text: control and direction characters are removed, lengths are
//     capped, HTML is escaped, and a value that looks like a web address does
//     not become a link.
//   - Links lead to the public URL of this installation and nowhere else.
//   - A mail is never sent over a connection that is not encrypted, except to
//     this machine itself; certificates are always verified, and there is no
//     fallback.
//   - The same message has the same Message-ID each time it is sent.
//   - A server cannot keep a delivery longer than its context allows, nor
//     answer more than a fixed number of bytes.
package mailer
