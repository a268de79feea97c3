package zxcvbn

import (
	"strings"
	"testing"

	"github.com/trustelem/zxcvbn/frequency"
)

// The list holds what the dictionaries of the original hold, and no more.
func TestLook_Listed(t *testing.T) {
	t.Parallel()
	count := 0
	for name, words := range frequency.FrequencyLists {
		count += len(words)
		for i, text := range words {
			entries, more := lexicon(nil).look(text)
			if len(entries) != 1 || entries[0] != (word{name, i + 1}) || !more {
				t.Fatalf("look(%q) = %v, %v, want rank %d in %s: run go generate ./internal/password/zxcvbn", text, entries, more, i+1, name)
			}
		}
	}
	if lines := strings.Count(listed, "\n"); lines != count {
		t.Errorf("the list has %d lines, the dictionaries %d words", lines, count)
	}
}

func TestLook(t *testing.T) {
	t.Parallel()
	known := lexicon{"password", "example", "иван", "example"}
	for _, test := range []struct {
		text    string
		entries int
		more    bool
	}{
		{"", 0, true},
		{"!", 0, true}, // the list begins with one
		{" ", 0, false},
		{"passwordst", 0, true},
		{"passwordx", 0, false},
		{"password", 2, true},
		{"exampl", 0, true},
		{"иван", 1, true},
		{"ив", 0, true},
		{"\U0010ffff", 0, false},
		{"pass\n", 0, false},
	} {
		entries, more := known.look(test.text)
		if len(entries) != test.entries || more != test.more {
			t.Errorf("look(%q) = %v, %v, want %d entries, %v", test.text, entries, more, test.entries, test.more)
		}
	}
	if entries, _ := known.look("example"); entries[len(entries)-1].rank != 4 {
		t.Errorf("of two alike the rank is %v, want that of the last", entries)
	}
}
