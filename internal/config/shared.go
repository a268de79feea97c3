package config

import (
	"slices"
	"strings"
)

// ownSettings returns the settings that may differ between nodes: addresses,
// the capacity of the machine, and logging.
func ownSettings() []string {
	return []string{
		"listen", "ops_listen", "database_url", "secret_file", "secret_next_file", "upstream", "trusted_proxies", "smtp_url", "brand.logo", "brand.logo_dark", "brand.favicon", "brand.font", "texts", "places",
		"password.signins_per_second", "hashing.slots", "hashing.queue", "log.level", "log.format",
		"tracing.endpoint", "tracing.header", "tracing.sample_ratio",
		"tls.cert_file", "tls.key_file", "tls.ca_file", "tls.acme", "tls.acme_directory", "tls.acme_email", "tls.http_listen",
	}
}

// Shared returns the settings that must be equal on all nodes of an
// installation, by key. It omits settings with their default value, so that a
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
	for _, k := range c.keys() {
		own := slices.Contains(ownSettings(), k.name) || strings.HasPrefix(k.name, appArray+".") && strings.HasSuffix(k.name, ".upstream") ||
			strings.HasPrefix(k.name, "providers.") && strings.HasSuffix(k.name, ".icon")
		value := k.get(c)
		if own || value == defaults[k.name] || value == `""` {
			continue
		}
		if k.secret {
			value = k.digest(c)
		}
		shared[k.name] = value
	}
	return shared
}
