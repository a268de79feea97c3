package config

import (
	"maps"
	"slices"
)

// Renewal is what a reload does to the settings of a running process.
type Renewal struct {
	Config  Config   // the settings from now on
	Changed []string // keys that have another value from now on, in order
	Restart []string // keys that keep their value until a restart, in order
}

// Renew returns the settings that result if a process with the settings c reads
// new ones. Addresses, storage, the cost of a hash, certificates, logging and tracing stay
// as they are. Its error is of type Problems: it also lists settings that are
// wrong only in combination with a value that stays.
func (c *Config) Renew(read Config) (Renewal, error) {
	next := read
	next.PublicURL, next.Listen, next.OpsListen = c.PublicURL, c.Listen, c.OpsListen
	next.DatabaseURL = c.DatabaseURL
	next.Password.Hash, next.Password.SignInsPerSecond = c.Password.Hash, c.Password.SignInsPerSecond
	next.Hashing, next.Log, next.Tracing, next.TLS = c.Hashing, c.Log, c.Tracing, c.TLS
	if problems := next.check(); len(problems) > 0 {
		return Renewal{}, problems
	}
	return Renewal{Config: next, Changed: c.differs(&next), Restart: next.differs(&read)}, nil
}

// differs returns the keys whose values differ, or that only one of the two has.
func (c *Config) differs(other *Config) []string {
	a, b := c.values(), other.values()
	all := maps.Clone(a)
	maps.Copy(all, b)
	maps.DeleteFunc(all, func(key, _ string) bool { return a[key] == b[key] })
	return slices.Sorted(maps.Keys(all))
}

// values returns all settings, secrets as digests.
func (c *Config) values() map[string]string {
	values := map[string]string{}
	for _, k := range c.keys() {
		values[k.name] = k.get(c)
		if k.secret {
			values[k.name] = k.digest(c)
		}
	}
	return values
}
