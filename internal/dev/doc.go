// Package dev owns `portico dev`: the whole product on one loopback port with
// nothing to configure, for trying it and for building an app against it.
//
// It adds what a real installation has elsewhere: a mailbox (dev/mailbox), an
// external identity provider (dev/idp), an app behind the door and a few
// people. What the configuration sets is used instead.
//
// Invariants: nothing of it can be switched on under `portico serve`; only the
// command `portico dev` imports it. The mailbox and the published password stay
// on this machine, and in databases that it has made itself.
package dev
