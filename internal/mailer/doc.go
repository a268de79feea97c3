// Package mailer writes emails and sends them to an SMTP server.
//
// It owns the templates, the message format and the SMTP dialogue. The words of
// a template are in the message catalogue, under mail.<template>. The outbox
// decides about recipients and retries. It uses two facts of an error: whether
// the failure is permanent, and whether the outcome is uncertain.
//
// Invariants:
//   - One message has one recipient, with a plain address.
//   - A value is only ever text in a header, a link or a body. Control and
//     direction characters are removed, lengths are limited, HTML is escaped,
//     and a value that looks like a web address does not become a link.
//   - Links lead only to the public URL of this installation.
//   - Emails are sent only over verified TLS, or to this machine itself. There
//     is no fallback.
//   - A message has the same Message-ID at each attempt.
//   - A server cannot delay a delivery longer than its context, nor send more
//     than a fixed number of bytes.
package mailer
