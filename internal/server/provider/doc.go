// Package provider handles the way of a browser to an external identity
// provider and back.
//
// It decides nothing; the flow does. It owns the handling of a cross-site
// form_post response. Package screens shows the page on the way to the provider and the page after a failed attempt.
//
// URLs:
//
//	/auth/provider/{id}/start      POST: the page that leads to the provider
//	/auth/provider/{id}/callback   GET: finishes the sign-in; POST: redirects to the GET
package provider
