package config

import (
	"slices"
	"strings"
)

// ownSettings are those that each of several nodes may have for itself: where
// it listens and what it reaches, what its machine bears, how it logs.
func ownSettings() []string {
	return []string{
		"listen", "ops_listen", "database_url", "secret_file", "upstream", "trusted_proxies", "smtp_url", "brand.logo",
		"password.signins_per_second", "hashing.slots", "hashing.queue", "log.level", "log.format",
		"tracing.endpoint", "tracing.header", "tracing.sample_ratio",
	}
}

// Shared returns the settings that all nodes of an installation must have
// alike, by their keys; of a secret a digest, which is for a keyed hash only: a
// secret that is guessed can be held against it. One that is as by default is left
// out: a version that does not know it yet agrees with one that does.
func (c *Config) Shared() map[string]string {
	byDefault := Default()
	defaults := map[string]string{}
	for _, k := range keys() {
		defaults[k.name] = k.get(&byDefault)
	}
	shared := map[string]string{}
	for _, k := range c.keys() {
		own := slices.Contains(ownSettings(), k.name) || strings.HasPrefix(k.name, appArray+".") && strings.HasSuffix(k.name, ".upstream")
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
