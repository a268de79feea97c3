package apikey_test

import (
	"regexp"
	"slices"
	"testing"
	"time"

	"portico/internal/apikey"
)

// What docs/integrating/admin-api.md and scanners of repositories look for.
var spelling = regexp.MustCompile(`^portico_key_[A-Za-z0-9_-]{49}$`)

func TestNew(t *testing.T) {
	t.Parallel()
	first, second := apikey.New(), apikey.New()
	if first == second || !spelling.MatchString(first) || !apikey.Valid(first) {
		t.Errorf("the secrets are %q and %q", first, second)
	}
	for i := range first {
		other := byte('A')
		if first[i] == other {
			other = 'B'
		}
		if wrong := first[:i] + string(other) + first[i+1:]; apikey.Valid(wrong) {
			t.Errorf("a typing error at %d is not found", i)
		}
	}
	for _, wrong := range []string{"", apikey.Prefix, first + "x", first[:len(first)-1], first + "\n", " " + first} {
		if apikey.Valid(wrong) {
			t.Errorf("%q is valid", wrong)
		}
	}
}

func TestUntil(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	if got, bad := apikey.Until(time.Time{}, now); bad != nil || got != now.Add(apikey.DefaultLife) {
		t.Errorf("without an end it is %v, %v", got, bad)
	}
	for after, want := range map[time.Duration]bool{time.Second: true, apikey.MostLife: true, 0: false, -time.Second: false, apikey.MostLife + time.Second: false} {
		if _, bad := apikey.Until(now.Add(after), now); (bad == nil) != want {
			t.Errorf("an end %v from now is a fault: %v", after, bad)
		}
	}
}

func TestChecked(t *testing.T) {
	t.Parallel()
	if got, bad := apikey.Checked([]string{"record:read", "people:read", "record:read"}); bad != nil || !slices.Equal(got, []string{"people:read", "record:read"}) {
		t.Errorf("the scopes are %q, %v", got, bad)
	}
	for _, wrong := range [][]string{nil, {""}, {"people:read", "keys:write"}, {"people:*"}} {
		if _, bad := apikey.Checked(wrong); bad == nil {
			t.Errorf("%q are scopes", wrong)
		}
	}
}
