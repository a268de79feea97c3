package config

import (
	"fmt"
	"slices"
	"strings"
)

// Problem is one setting that cannot be used as it is.
type Problem struct {
	Source string // "portico.toml:12", "environment", or "not set"
	Key    string // as it is written there: session.idle or PORTICO_SESSION_IDLE
	Why    string
	Write  string // what to write instead
}

// String returns the problem as one line.
func (p Problem) String() string {
	return fmt.Sprintf("%s: %s: %s: %s", p.Source, p.Key, p.Why, p.Write)
}

// Problems is the error of settings that cannot be used: all of them, not the
// first.
type Problems []Problem

func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Report gathers the Problems of a configuration.
type Report struct {
	config   *Config
	problems Problems
}

// Report returns an empty Report.
func (c *Config) Report() *Report { return &Report{config: c} }

// Add adds a Problem of a setting, unless a value that the judgement stands on
// could not be read: that of the setting, or of one of the others. What is wrong
// there is known from Load, and the rest is not known.
func (r *Report) Add(key, why, write string, others ...string) {
	if r.config.unread || slices.ContainsFunc(append(others, key), func(k string) bool { return r.config.broken[k] }) {
		return
	}
	r.problems = append(r.problems, Problem{Source: r.config.Source(key), Key: key, Why: why, Write: write})
}

// Known reports whether a setting has the value that it was given, or that of its
// default: false for one that could not be read.
func (c *Config) Known(key string) bool { return !c.unread && !c.broken[key] }

// Err returns the Problems as an error, nil when there are none.
func (r *Report) Err() error {
	if len(r.problems) == 0 {
		return nil
	}
	return r.problems
}

// mistake is what is wrong with one value: why, and what to write.
type mistake struct{ why, write string }

// mistakes are those of a value, with the place of the item in a list.
type mistakes []struct {
	*mistake
	item int // from 0; -1 for the whole
}

// only returns the mistake of a whole value, which may be nil.
func only(m *mistake) mistakes {
	if m == nil {
		return nil
	}
	return mistakes{{m, -1}}
}
