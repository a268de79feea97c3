package config

import (
	"maps"
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
	defaults, shared := byDefault.values(), c.values()
	maps.DeleteFunc(shared, func(name, value string) bool {
		_, setting, inTable := strings.Cut(name, ": ")
		own := slices.Contains(ownSettings(), name) || inTable && (setting == "upstream" || setting == "icon")
		return own || value == theTable || value == notSet || value == defaults[name]
	})
	return shared
}
