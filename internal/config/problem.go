package config

import (
	"fmt"
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

// asError keeps an empty list from becoming an error that is not nil.
func (ps Problems) asError() error {
	if len(ps) == 0 {
		return nil
	}
	return ps
}

// mistake is what is wrong with one value: why, and what to write.
type mistake struct{ why, write string }
