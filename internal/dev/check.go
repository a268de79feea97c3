package dev

import (
	"net"

	"portico/internal/config"
	"portico/internal/origin"
)

// check refuses settings that would let other machines reach the mailbox and
// the accounts with a published password.
func check(cfg config.Config) error {
	r := cfg.Report()
	if host, _, err := net.SplitHostPort(cfg.Listen); err != nil || !origin.IsLoopback(host) {
		r.Add("listen", "others would reach what portico dev shows to everybody", "write 127.0.0.1:8080, or leave it out; for real use run portico serve")
	}
	if u := cfg.PublicURL; u != nil && (u.Scheme != "http" || !origin.IsLoopback(u.Hostname())) {
		r.Add("public_url", "portico dev is for this machine alone", "write http://localhost and the port, or leave it out; for real use run portico serve")
	}
	return r.Err()
}
