// Package form contains what the JSON API, the screens and the gateway share:
// the description of a caller, the cookies of a step, and the actions of forms.
//
// It does not choose the encoding of a response; its callers do.
//
// Invariant: tokens travel in cookies, never in a body or in one of Portico's
// URLs.
package form
