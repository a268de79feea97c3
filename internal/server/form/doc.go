// Package form contains what the JSON API, the screens and the gateway share:
// the description of a caller, the cookies of a step, and the actions of forms.
//
// It does not choose the encoding of a response; its callers do.
//
// Invariant: actions give tokens to the browser in cookies alone. The address that
// they return has none.
package form
