package ids

import (
	"strings"
	"testing"
	"time"
)

func TestNew(t *testing.T) {
	t.Parallel()
	const many = 20_000
	seen := make(map[string]bool, many)
	var used strings.Builder
	for range many {
		id := New()
		if len(id) != Length || !Valid(id) || seen[id] {
			t.Fatalf("%q is no identifier, or one that was there before", id)
		}
		seen[id] = true
		used.WriteString(id)
	}
	for _, c := range "0123456789abcdefghjkmnpqrstvwxyz" {
		if !strings.ContainsRune(used.String(), c) {
			t.Errorf("%q is never used", c)
		}
	}
}

func TestNewAt(t *testing.T) {
	t.Parallel()
	const many = 2000
	at := time.UnixMilli(1_700_000_000_000)
	before, seen := "", map[string]bool{}
	for i := range many {
		id := NewAt(at.Add(time.Duration(i/2) * time.Millisecond))
		if !Valid(id) || seen[id] || i%2 == 0 && id <= before {
			t.Fatalf("%q is no identifier, was there before, or comes before %q", id, before)
		}
		seen[id] = true
		before = max(before, id)
	}
}

func TestValid(t *testing.T) {
	t.Parallel()
	good := strings.Repeat("7", Length-1) + "8"
	for name, tt := range map[string]struct {
		id   string
		want bool
	}{
		"one":                    {good, true},
		"empty":                  {"", false},
		"short":                  {good[1:], false},
		"long":                   {"7" + good, false},
		"upper case":             {"A" + good[1:], false},
		"a letter that is not":   {"u" + good[1:], false},
		"two line ends":          {"\r\n" + good[2:], false}, // the decoder skips them
		"two line ends at last":  {good[:24] + "\n\n", false},
		"bits that mean nothing": {good[:25] + "9", false}, // unused bits: a second spelling of the first
		"a path":                 {"../" + good[3:], false},
		"a blank":                {" " + good[1:], false},
		"padding":                {good[:25] + "=", false},
	} {
		if Valid(tt.id) != tt.want {
			t.Errorf("%s: %q, want %v", name, tt.id, tt.want)
		}
	}
}

func FuzzValid(f *testing.F) {
	f.Add(New())
	f.Add(strings.Repeat("\n", Length))
	f.Fuzz(func(t *testing.T, s string) {
		if Valid(s) && (len(s) != Length || strings.Trim(s, "0123456789abcdefghjkmnpqrstvwxyz") != "") {
			t.Errorf("%q is valid", s)
		}
	})
}
