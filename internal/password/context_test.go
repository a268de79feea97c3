package password

import (
	"slices"
	"strings"
	"testing"
)

func TestContextWords(t *testing.T) {
	t.Parallel()
	got := contextWords([]string{"J.Mül-Ler@Example.co", "Blue House"})
	want := []string{
		"j.mul-ler@example.co", "blue house", "example.co", "bluehouse", "exampleco", "j.mul-ler",
		"example", "jmuller", "house", "blue", "ler", "mul",
	}
	if !slices.Equal(got, want) {
		t.Errorf("contextWords = %q, want %q", got, want)
	}
}

func TestContextWords_Bounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("abc-", 1000)
	many := make([]string, 100)
	for i := range many {
		many[i] = strings.Repeat("x", i+1)
	}
	got := contextWords(append(many, long))
	if len(got) != mostWords || got[0] != many[99] {
		t.Errorf("contextWords gives %d words from %q, want the %d longest", len(got), got[0], mostWords)
	}
}

func TestWithout(t *testing.T) {
	t.Parallel()
	words := contextWords([]string{"max.mustermann@example.com"})
	for _, test := range []struct {
		text, want string
		found      bool
	}{
		{"Max.Mustermann@Example.com", "", true},
		{"MÜSTERMANN-quilt", "-quilt", true},
		{"Quilt", "quilt", false},
	} {
		if rest, found := without(test.text, words); rest != test.want || found != test.found {
			t.Errorf("without(%q) = %q, %v, want %q, %v", test.text, rest, found, test.want, test.found)
		}
	}
}
