// Package app is the composition root: it builds every part from the
// configuration, starts what runs in the background and stops it in order. The
// commands and the tests use the same one.
//
// It holds no rule of its own.
package app
