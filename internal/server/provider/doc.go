// Package provider is the door through which a browser leaves for an external
// identity provider and comes back.
//
// It decides nothing: the flow does. It owns how a cross-site form_post answer
// is taken. The screens show the page on the way (decision 4) and where a
// failed attempt ends.
package provider
