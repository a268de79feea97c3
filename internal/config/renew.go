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
	for table := range before {
		if after[table] == nil {
			d.Removed = append(d.Removed, table)
		}
	}
	for table, settings := range after {
		if before[table] == nil {
			d.Added = append(d.Added, table)
			continue
		}
		for name, value := range settings {
			if before[table][name] != value {
				d.Changed = append(d.Changed, name)
			}
		}
	}
	for _, list := range [][]string{d.Added, d.Removed, d.Changed} {
		slices.Sort(list)
	}
	return d
}

// values returns the settings of each table, secrets as digests.
func (c *Config) values() map[string]map[string]string {
	values := map[string]map[string]string{}
	for _, t := range c.tables() {
		values[t.name] = map[string]string{}
		for _, k := range t.keys {
			value := k.get(c)
			if k.secret {
				value = k.digest(c)
			}
			values[t.name][t.called(k)] = value
		}
	}
	return values
}
