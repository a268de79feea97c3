// Package app is the composition root. It builds every part from the
// configuration, starts the background work and stops everything in order.
// Commands and tests use it too.
//
// It contains no rules of the product, only:
//   - the checks of settings that need more than package config (Check,
//     Warnings)
//   - the background work of a node: last uses, purges, clocks, comparison of
//     nodes
//   - the adapters between store.Store and the interfaces that other packages declare
//     (unit)
package app
