package config

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"portico/internal/egress"
	"portico/internal/origin"
)

// Hosts returns the names by which browsers reach Portico and apps, without
// ports, the public host first.
func (c *Config) Hosts() []string {
	var hosts []string
	if c.PublicURL != nil {
		hosts = append(hosts, c.PublicURL.Hostname())
	}
	for _, a := range c.Served() {
		u, err := url.Parse("https://" + a.Host)
		if err == nil && a.Host != "" && !slices.Contains(hosts, u.Hostname()) {
			hosts = append(hosts, u.Hostname())
		}
	}
	return hosts
}

// checkTLS adds problems of the tls settings among each other and with the
// addresses.
func (c *Config) checkTLS(add func(key, why, write string, others ...string)) {
	t := c.TLS
	if !t.On() {
		return
	}
	switch {
	case t.ACME && (t.CertFile != "" || t.KeyFile != ""):
		add("tls.acme", "there are certificate files as well", "keep one of the two", "tls.cert_file", "tls.key_file")
	case (t.CertFile == "") != (t.KeyFile == "") && !t.ACME:
		add("tls.key_file", "a certificate needs its key, and a key its certificate", "write tls.cert_file and tls.key_file", "tls.cert_file")
	}
	if c.PublicURL != nil && c.PublicURL.Scheme != "https" {
		add("public_url", "it is http, and the listener speaks https", "write https://", "tls.acme", "tls.cert_file")
	}
	if t.ACME && !strings.HasPrefix(c.DatabaseURL, "sqlite:") {
		add("tls.acme", "nodes that share a database would each ask for certificates, and answer for each other's", "terminate TLS at the proxy in front of them, or write tls.cert_file and tls.key_file", "database_url")
	}
	if t.HTTPListen != Off && sameListener(t.HTTPListen, c.Listen) {
		add("tls.http_listen", "it is the address of the public listener", "write another port, or off", "listen")
	}
	for _, host := range c.Hosts() {
		if _, err := netip.ParseAddr(host); t.ACME && (err == nil || origin.IsLoopback(host) || !strings.Contains(host, ".")) {
			add("tls.acme", "no certificate authority issues a certificate for "+host, "use the public name of this machine", "public_url")
		}
	}
}

// checkAuthorities accepts the path of a file with certificates.
func checkAuthorities(path string) (string, *mistake) {
	if _, err := egress.Roots(path); err != nil {
		return "", &mistake{err.Error(), "write the path of a PEM file with certificates that this user can read"}
	}
	return path, nil
}

func checkHTTPListen(s string) (string, *mistake) {
	if s == Off {
		return s, nil
	}
	return checkListen(s)
}

// checkDirectory accepts the https address of an ACME directory.
func checkDirectory(s string) (*url.URL, *mistake) {
	u, err := parseURL(s)
	if err != nil || u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || origin.CheckCalled(origin.Of(u)) != nil {
		return nil, &mistake{"the value is not the address of an ACME directory", "write the https address that the authority publishes"}
	}
	return u, nil
}
