package config

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Problem is one setting that cannot be used as it is.
type Problem struct {
	Source string // "portico.toml:12", "environment", or "not set"
	Key    string // as written in Source: session.idle or PORTICO_SESSION_IDLE
	Why    string
	Write  string // what to write instead
}

// String returns the problem as one line. A setting of the environment has the name of its variable.
func (p Problem) String() string {
	for _, k := range candidates(p.Key) {
		if p.Source == fromEnvironment && p.Key == k.name {
			p.Key = k.env()
		}
	}
	return fmt.Sprintf("%s: %s: %s: %s", p.Source, p.Key, p.Why, p.Write)
}

// Problems is the error of Load and the checks. It lists all problems, not only
// the first.
type Problems []Problem

func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Sort brings the problems of each file into the order of its lines. Problems
// without a line come last.
func (ps Problems) Sort() {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		aFile, aLine := place(a.Source)
		bFile, bLine := place(b.Source)
		return cmp.Or(cmp.Compare(min(1, bLine), min(1, aLine)), strings.Compare(aFile, bFile), aLine-bLine)
	})
}

// place returns the file and the line of a source, and 0 without a line.
func place(source string) (file string, line int) {
	at := strings.LastIndexByte(source, ':')
	if at < 0 {
		return "", 0
	}
	line, err := strconv.Atoi(source[at+1:])
	if err != nil {
		return "", 0
	}
	return source[:at], line
}

// Problem returns a Problem of the setting key, at the place where it is written.
func (c *Config) Problem(key, why, write string) Problem {
	return Problem{Source: c.Source(key), Key: key, Why: why, Write: write}
}

// Report collects the Problems of a configuration. It is not safe for
// concurrent use.
type Report struct {
	config   *Config
	problems Problems
}

// Report returns an empty Report about c.
func (c *Config) Report() *Report { return &Report{config: c} }

// Add adds a Problem of the setting key. It adds nothing if that setting, or
// one of the others that the check depends on, could not be read: Load already
// reported it.
func (r *Report) Add(key, why, write string, others ...string) {
	if r.config.unread || slices.ContainsFunc(append(others, key), func(k string) bool { return r.config.broken[k] }) {
		return
	}
	r.problems = append(r.problems, r.config.Problem(key, why, write))
}

// AddAt adds a Problem of another file that a setting names, with its place in
// that file.
func (r *Report) AddAt(source, key, why, write string) {
	r.problems = append(r.problems, Problem{Source: source, Key: key, Why: why, Write: write})
}

// Known reports whether the value of a setting is known. It returns false for a
// setting that could not be read.
func (c *Config) Known(key string) bool { return !c.unread && !c.broken[key] }

// Complete reports whether every setting could be read.
func (c *Config) Complete() bool { return !c.unread && len(c.broken) == 0 }

// Problems returns what was added.
func (r *Report) Problems() Problems { return r.problems }

// Err returns the Problems as an error, or nil if there are none.
func (r *Report) Err() error {
	if len(r.problems) == 0 {
		return nil
	}
	return r.problems
}

// mistake says why one value is wrong and what to write instead.
type mistake struct{ why, write string }

// mistakes are the mistakes of one value. item is the index in a list.
type mistakes []struct {
	*mistake
	item int // from 0; -1 for the whole value
}

// only returns the mistake of a whole value. m may be nil.
func only(m *mistake) mistakes {
	if m == nil {
		return nil
	}
	return mistakes{{m, -1}}
}
