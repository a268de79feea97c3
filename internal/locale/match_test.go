package locale

import (
	"strconv"
	"testing"
)

// A header is looked up once. Invented headers take no more memory than a few.
func TestMatches(t *testing.T) {
	t.Parallel()
	m, looked := newMatches(), 0
	find := func(header string) string {
		looked++
		return header + "!"
	}
	for range 3 {
		if got := m.get("de", find); got != "de!" || looked != 1 {
			t.Errorf("%s after %d looks", got, looked)
		}
	}
	for n := range 3 * mostMatches {
		if header := strconv.Itoa(n); m.get(header, find) != header+"!" {
			t.Errorf("header %d has the locale of another one", n)
		}
	}
	if len(m.of) > mostMatches {
		t.Errorf("%d headers are remembered", len(m.of))
	}
}
