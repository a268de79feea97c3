// Package door owns what the doors have in common: who a request comes from,
// the cookies that a step sets, and the actions that a form and the JSON API
// both carry out.
//
// It does not choose an encoding: the door that calls it does.
//
// Invariant: tokens travel in cookies and never in a body or a URL of ours.
package door
