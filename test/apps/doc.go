// Package apps signs users in to apps that others wrote, through the real binary:
// libraries of Go, Node, Python and Ruby, Apache's mod_auth_openidc, oauth2-proxy, Dex,
// Miniflux, the token check of Kubernetes, kubelogin and step; and the samples of frameworks. Each signs in, and where it can,
// refreshes its tokens and signs out.
//
// It is a separate module, because Portico needs none of them.
package apps
