package config

import "slices"

// Renewal is what a reload does to the settings of a running process.
type Renewal struct {
	Config Config // the settings from now on
	Difference
	Restart []string // settings that keep their value until a restart, in order
}

// Difference is what distinguishes settings from earlier ones, each list in order.
type Difference struct {
	Added   []string // tables: client "wiki"
	Removed []string // tables
	Changed []string // settings: brand.name, client "wiki": secret
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
	return Renewal{Config: next, Difference: c.differs(&next), Restart: next.differs(&read).Changed}, nil
}

// differs returns what distinguishes other from c. A table is the same one as long as its id is: its
// number changes when one before it is removed.
func (c *Config) differs(other *Config) Difference {
	before, after := c.values(), other.values()
	d := Difference{Added: []string{}, Removed: []string{}, Changed: []string{}}
	for name, value := range after {
		switch was, there := before[name]; {
		case there && was != value:
			d.Changed = append(d.Changed, name)
		case !there && value == theTable:
			d.Added = append(d.Added, name)
		}
	}
	for name, value := range before {
		if _, there := after[name]; !there && value == theTable {
			d.Removed = append(d.Removed, name)
		}
	}
	for _, list := range [][]string{d.Added, d.Removed, d.Changed} {
		slices.Sort(list)
	}
	return d
}
