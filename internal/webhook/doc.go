// Package webhook tells apps of the changes of accounts: it keeps the events, sends them, signs the
// requests (Standard Webhooks), and tries again. It keeps what the receivers answered for a week.
//
// It does not decide which change is which event, nor what an app learns of an account: flows do.
//
// # Invariants
//
//   - An event is in the database exactly when the change is.
//   - The events of an account reach a webhook one after the other, in the order of the changes. The next
//     one is Held until the one before has ended. Another webhook or account never waits for them.
//   - Each attempt has the same id. A claim belongs to one node at a time, so no two attempts of an event
//     run at once, and a process that is killed leaves a claim that ends.
//   - The body is made when it is sent, from the account as it is then. So no row has personal data of the
//     account, a late event never brings an old value back, and nothing is told of an erased account but its id.
//   - Only the settings open and close a webhook. A receiver that answers 410 gets the event no more, and all
//     others still.
package webhook
