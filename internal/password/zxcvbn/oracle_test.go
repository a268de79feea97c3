package zxcvbn

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/trustelem/zxcvbn/frequency"
	"github.com/trustelem/zxcvbn/matching"
	"github.com/trustelem/zxcvbn/scoring"
)

// standIns are the characters that may stand for a letter.
const standIns = `48@({[<3691!|70$5+%2`

// against compares the estimate with the oracle's. Where characters stand for
// letters it may be lower: the original reads one of them the same way in the
// whole password, and every one as a letter.
func against(t *testing.T, password string, known []string) {
	t.Helper()
	oracle := scoring.MostGuessableMatchSequence(password, matching.Omnimatch(password, known), true)
	got, sequence := Estimate(password, known)
	if got > oracle.Guesses {
		t.Errorf("%q, known %q: %g guesses, more than %g", password, known, got, oracle.Guesses)
	}
	if got < oracle.Guesses && !strings.ContainsAny(password, standIns) {
		t.Errorf("%q, known %q: %g guesses, fewer than %g", password, known, got, oracle.Guesses)
	}
	length := 0
	for _, m := range sequence {
		length += len(m.Token)
	}
	if length != len([]rune(password)) {
		t.Errorf("%q: the patterns cover %d characters", password, length)
	}
}

func TestEstimate_AsTheOracle(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	known := []string{"ann@example.org", "annexample", "example", "ann", "org", "2026"}
	for range 1000 {
		against(t, compose(random), known)
	}
}

// compose makes a password of what passwords are made of.
func compose(random *rand.Rand) string {
	pick := func(from string, most int) string {
		b := make([]byte, 1+random.IntN(most))
		for i := range b {
			b[i] = from[random.IntN(len(from))]
		}
		return string(b)
	}
	word := func() string {
		lists := [][]string{frequency.FrequencyLists["passwords"], frequency.FrequencyLists["english_wikipedia"], frequency.FrequencyLists["surnames"]}
		list := lists[random.IntN(len(lists))]
		return list[random.IntN(len(list))]
	}
	parts := []func() string{
		word,
		func() string { w := word(); return strings.ToUpper(w[:1]) + w[1:] },
		func() string { b := []byte(word()); slices.Reverse(b); return string(b) },
		func() string { return strings.NewReplacer("a", "@", "e", "3", "s", "$").Replace(word()) },
		func() string { return strings.Repeat(pick("abc1", 3), 2+random.IntN(3)) },
		func() string { return pick("0123456789", 8) },
		func() string { return pick("0123", 2) + "." + pick("012", 2) + "." + pick("129", 4) },
		func() string { return pick("19820", 4) + "/" + pick("01", 2) + "/" + pick("0123", 2) },
		func() string { return pick("qwertasdfgQWER1!2@", 6) },
		func() string { return pick("abcdefedcbZYX", 6) },
		func() string {
			return pick("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ~#^&*)_-=]}:;'\",.>/?` \\", 6)
		},
		func() string { return []string{"ann", "Example", "exampleann", "2026", "1999"}[random.IntN(5)] },
	}
	var all strings.Builder
	for range 1 + random.IntN(3) {
		all.WriteString(parts[random.IntN(len(parts))]())
	}
	return all.String()[:min(all.Len(), 24)]
}

func FuzzEstimate(f *testing.F) {
	for _, seed := range []string{"", "aabaab", "P@ss1", "1/1/1991x2015_06_04", "zxcvfr45tgb", "\x00\x7f", "13.13.13", "abcabcabab"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, password string) {
		password = password[:min(len(password), 24)]
		for _, r := range password {
			if r >= 0x7f {
				return
			}
		}
		against(t, password, []string{"example"})
	})
}
