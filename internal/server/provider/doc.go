// Package provider is the door through which a browser leaves for an external
// identity provider and comes back.
//
// It decides nothing: the flow does. It owns how a browser is sent away (a
// document that goes on by itself, because a form's redirect is held against
// the page's form-action) and how a cross-site form_post answer is taken.
package provider
