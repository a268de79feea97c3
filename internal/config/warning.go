package config

import (
	"net"

	"portico/internal/origin"
)

// Warnings returns settings that are allowed, but probably not intended.
func (c *Config) Warnings() Problems {
	r := c.Report()
	if c.PublicURL != nil && c.PublicURL.Scheme == "https" && len(c.TrustedProxies) == 0 && !c.TLS.On() {
		r.Add("trusted_proxies", "all clients behind a proxy share its rate limits, and one client can use them up", "write the networks of your proxies, such as 127.0.0.1")
	}
	if host, _, err := net.SplitHostPort(c.OpsListen); err == nil && !origin.IsLoopback(host) {
		r.Add("ops_listen", "it requires no password, and other machines can reach it", "write 127.0.0.1 and the port, or let only your monitoring reach it")
	}
	if c.open != "" && len(c.inFile) > 0 {
		r.Add(c.inFile[0], "the file holds a secret, and every user of this machine can read it", "run 'chmod o-rwx "+c.open+"'")
	}
	return r.problems
}
