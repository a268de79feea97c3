// Package apps signs users in to apps that others wrote, through the real binary:
// libraries of Go, Node and Python, Apache's mod_auth_openidc, oauth2-proxy,
// Miniflux and the token check of Kubernetes. Each signs in, and where it can,
// refreshes its tokens and signs out.
//
// It is a separate module, because Portico needs none of them.
package apps
