package once_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"portico/internal/once"
)

// A request that has failed is found to have after a minute, also if the clock was set back since.
func TestJudge_Stale(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	for age, want := range map[time.Duration]error{0: once.Running, once.Stale - 1: once.Running, once.Stale: nil, -time.Second: once.Running, -time.Hour: nil} {
		r := once.Row{BegunAt: now.Add(-age), Expires: now.Add(once.Keep - age)}
		if _, free, err := once.Judge(r, true, "", now); !errors.Is(err, want) || free != (want == nil) {
			t.Errorf("begun %v ago: free %v, %v", age, free, err)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("k", once.MostKey)
	for header, want := range map[string]string{`"a-1"`: "a-1", "a-1": "a-1", long: long, `"` + long + `"`: long} {
		if got, ok := once.Parse(header); !ok || got != want {
			t.Errorf("%q is the key %q, %v", header, got, ok)
		}
	}
	for _, wrong := range []string{"", `"`, `""`, `"a`, `a"`, `"a"b"`, "a b", "a\n", "ä", `a\`, long + "k"} {
		if got, ok := once.Parse(wrong); ok {
			t.Errorf("%q is the key %q", wrong, got)
		}
	}
}
