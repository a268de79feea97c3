// Package outbox owns the messages that are to be sent. It stores a message in the
// transaction of the step that causes it, passes it to a deliverer, and retries.
// It keeps undelivered messages for the operator.
//
// It does not own the words of a message, nor SMTP: the app hands in a Deliver
// function. It does not decide who gets what: flows do.
//
// # States of a message
//
//	         Enqueue (in the caller's transaction)
//	            |
//	            v     claim: lease begins, Uncertain + 1
//	+------> waiting ---------------------------------> claimed
//	|           ^                                          |
//	|           | refused for now: Uncertain - 1,          |
//	|           | Failures + 1, due after the back-off     |
//	|           +------------------------------------------+
//	|           | outcome unknown: due after the back-off  |
//	|           +------------------------------------------+
//	|           | process gone: due when the lease ends    |
//	|           +------------------------------------------+
//	|                                                      |
//	|                     accepted, expired or suppressed  +--> deleted
//	|                                                      |
//	|                     refused for good, too many       |
//	| Retry               failures, outcome unknown twice  v
//	+---------------------------------------------------- dead --> deleted
//	                                                     after KeepDead
//
// An operator can make waiting messages due at once (Flush), and delete a message that
// waits or is dead (Drop).
//
// # Invariants
//
//   - A message is in the database exactly when the step that caused it is.
//   - A claim is counted before anything is sent. A message whose outcome was
//     unknown twice is not sent a third time. So a recipient gets it at most
//     twice, both times with the same id.
//   - A claim lasts as long as a delivery may take by each clock, and ends soon enough for
//     the message to be sent again within a minute of a crash.
//   - A message whose content has expired is not sent.
//   - An email that somebody waits for never waits behind others. Each lane has a Runner of
//     its own, so that none starves another.
//   - No OpenID client holds more deliveries of a Runner than PerClient. Its other messages
//     wait unclaimed.
//   - A suppressed message takes the same work as a real one and is never sent,
//     so that a visitor cannot distinguish known addresses from unknown ones.
//   - Content and address are sealed under the message's id. The database
//     holds no code that could be used.
package outbox
