package config

import (
	"strconv"
	"strings"
	"time"
)

// ParseDuration accepts the syntax of time.ParseDuration, and whole days:
// "30d".
func ParseDuration(s string) (time.Duration, bool) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		return time.Duration(n) * day, err == nil
	}
	d, err := time.ParseDuration(s)
	return d, err == nil
}

// formatDuration writes a duration in the largest unit that divides it.
func formatDuration(d time.Duration) string {
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{day, "d"}, {time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}} {
		if d != 0 && d%unit.size == 0 {
			return strconv.FormatInt(int64(d/unit.size), 10) + unit.name
		}
	}
	return d.String()
}
