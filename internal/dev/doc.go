// Package dev owns `portico dev`: the whole product on one loopback port
// without configuration, to try it or to build an app against it.
//
// It adds what a production installation has elsewhere: a mailbox
// (dev/mailbox), an external identity provider (dev/idp), an app behind the
// gateway, and some accounts. The tests of an app sign in without a proof,
// read emails and move the time. It also shows every screen, component and
// token in the colors of the brand. A setting of the configuration replaces the
// corresponding part.
//
// Invariants:
//   - `portico serve` cannot enable any of it. Only the command `portico dev`
//     imports this package.
//   - Only this machine can reach the mailbox, the accounts with a published
//     password and what tests may do, and no page of another origin can.
//   - The accounts are created only in databases that `portico dev` has
//     created.
package dev
