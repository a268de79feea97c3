package config

import (
	"slices"
	"strings"
)

// ownSettings returns the settings that may differ between nodes: addresses,
// the capacity of the machine, and logging.
func ownSettings() []string {
	return []string{
		"listen", "ops_listen", "database_url", "secret_file", "secret_next_file", "upstream", "trusted_proxies", "smtp_url",
		"brand.logo", "brand.logo_dark", "brand.favicon", "brand.font", "texts", "places",
		"password.signins_per_second", "hashing.slots", "hashing.queue", "log.level", "log.format",
		"tracing.endpoint", "tracing.header", "tracing.sample_ratio",
		"tls.cert_file", "tls.key_file", "tls.ca_file", "tls.acme", "tls.acme_directory", "tls.acme_email", "tls.http_listen",
	}
}

// Shared returns the settings that must be equal on all nodes of an
// installation, by their names in reports. It omits settings with their default value, so that a
// version that does not know a new setting still agrees.
//
// The value of a secret is an unkeyed digest, which allows offline guessing.
// Use it only as the input of a keyed hash.
func (c *Config) Shared() map[string]string {
	byDefault := Default()
	defaults := map[string]string{}
	for _, k := range keys() {
		defaults[k.name] = k.get(&byDefault)
	}
	shared := map[string]string{}
	for _, t := range c.tables() {
		for _, k := range t.keys {
			value := k.get(c)
			if t.owns(k) || value == defaults[k.name] || value == `""` {
				continue
			}
			if k.secret {
				value = k.digest(c)
			}
			shared[t.called(k)] = value
		}
	}
	return shared
}

// owns reports whether a setting of the table may differ between nodes.
func (t table) owns(k key) bool {
	switch name := strings.TrimPrefix(k.name, t.prefix); {
	case strings.HasPrefix(t.prefix, appArray+"."):
		return name == "upstream"
	case t.prefix != "" && name == "icon": // of a provider
		return true
	}
	return slices.Contains(ownSettings(), k.name)
}
