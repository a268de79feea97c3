package password

import (
	"strings"
	"testing"
)

func TestEstimate_OtherScripts(t *testing.T) {
	t.Parallel()
	varied, _ := estimate("여우가울타리를넘었다", nil)
	same, _ := estimate(strings.Repeat("우", 10), nil)
	if varied < enough || same > enoughAround {
		t.Errorf("ten characters: %g guesses, one ten times: %g", varied, same)
	}
	ascii, _ := estimate("kxvqzhbwtr", nil)
	if varied > ascii {
		t.Errorf("%g guesses, more than the %g of as many letters: bytes are counted", varied, ascii)
	}
}

func TestEstimate_KnownWordInAnotherScript(t *testing.T) {
	t.Parallel()
	const name = "екатерина"
	guesses, sequence := estimate("xq"+name, []string{"анна", name})
	if guesses > enough || len(sequence) != 2 || sequence[1].MatchedWord != name {
		t.Errorf("%g guesses, patterns %+v, want the known word %q", guesses, sequence, name)
	}
}

func TestStandIn_IsControlCharacter(t *testing.T) {
	t.Parallel()
	seen := map[rune]bool{}
	for n := range 62 {
		if r := standIn(n); r < 1 || r > 31 {
			t.Fatalf("standIn(%d) = %d", n, r)
		} else {
			seen[r] = true
		}
	}
	if len(seen) != 31 {
		t.Errorf("%d characters, want 31", len(seen))
	}
}
