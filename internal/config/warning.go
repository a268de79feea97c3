package config

import (
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/net/publicsuffix"

	"portico/internal/origin"
)

// Warnings returns settings that are allowed, but probably not intended.
func (c *Config) Warnings() Problems {
	r := c.Report()
	if c.PublicURL != nil && c.PublicURL.Scheme == "https" && len(c.TrustedProxies) == 0 && !c.TLS.On() {
		r.Add("trusted_proxies", "all clients behind a proxy share its rate limits, and one client can use them up", "write the networks of your proxies, such as 127.0.0.1")
	}
	if c.PublicURL != nil && c.PublicURL.Scheme == "https" && c.HSTSSubdomains && !c.IsSet("hsts_subdomains") && WholeDomain(c.PublicURL.Hostname()) {
		r.Add("hsts_subdomains", "after a visit of "+c.PublicURL.Hostname()+", browsers refuse http at all its subdomains for two years", "write true if each of them has https, or false")
	}
	if host := c.databaseInTheClear(); host != "" {
		r.Add("database_url", "the connection to "+host+" is without TLS, and whoever has access to the network between can read and change the data", "write sslmode=verify-full, or leave it if nobody else has access")
	}
	if host, _, err := net.SplitHostPort(c.OpsListen); err == nil && !origin.IsLoopback(host) {
		r.Add("ops_listen", "it requires no password, and other machines can reach it", "write 127.0.0.1 and the port, or let only your monitoring reach it")
	}
	told := map[string]bool{}
	for _, h := range c.held {
		if !told[h.path] && h.open() {
			told[h.path] = true
			r.Add(h.key, "the file holds a secret, and every user of this machine can read it", "let the user or the group that Portico runs as own it, and run 'chmod o-rwx "+h.path+"'")
		}
	}
	return r.problems
}

// held is a secret that a file has: the settings, or one of its own.
type held struct{ key, path string }

// open reports whether every user of the machine can read the file.
func (h held) open() bool {
	name, err := filepath.Abs(h.path)
	if err == nil {
		name, err = filepath.EvalSymlinks(name)
	}
	return err == nil && runtime.GOOS != "windows" && openToAll(name, os.Stat)
}

// openToAll reports whether every user can read a file, through all its folders. In /run/secrets
// it says no: containers mount secrets there, often for everybody, and nobody else is inside.
func openToAll(name string, stat func(string) (fs.FileInfo, error)) bool {
	info, err := stat(name)
	if err != nil || info.Mode().Perm()&0o004 == 0 || strings.HasPrefix(name, "/run/secrets/") {
		return false
	}
	for name != filepath.Dir(name) {
		name = filepath.Dir(name)
		if folder, err := stat(name); err == nil && folder.Mode().Perm()&0o001 == 0 {
			return false
		}
	}
	return true
}

// WholeDomain reports whether a host is a domain as its owner registered it, such as example.com:
// its subdomains are likely to be other sites.
func WholeDomain(host string) bool {
	suffix, listed := publicsuffix.PublicSuffix(host)
	name, below := strings.CutSuffix(host, "."+suffix)
	return listed && below && !strings.Contains(name, ".")
}

// databaseInTheClear returns the host of a database on another machine to which connections
// have no TLS. A name without a dot counts as one of a network of containers on this machine.
func (c *Config) databaseInTheClear() string {
	u, err := url.Parse(c.DatabaseURL)
	if err != nil || u.Query().Get("sslmode") != "disable" || !strings.ContainsAny(otherHost(u), ".:") {
		return ""
	}
	return otherHost(u)
}
