package zxcvbn

import (
	"cmp"
	"slices"

	"github.com/trustelem/zxcvbn/match"
	"github.com/trustelem/zxcvbn/scoring"
)

// repeats returns what is said again at once: aaa, abcabc.
func repeats(t text) []*match.Match {
	var found []*match.Match
	for i := 0; i < len(t.runes); {
		period, end := repeated(t.runes, i)
		if period == 0 {
			i++
			continue
		}
		base := newText(t.runes[i : i+period])
		worth := scoring.MostGuessableMatchSequence(base.plain, find(base, nil), false)
		m := t.match("repeat", i, end)
		m.BaseToken, m.BaseGuesses, m.BaseMatches = base.plain, worth.Guesses, worth.Sequence
		m.RepeatCount = (end - i) / period
		found = append(found, m)
		i = end
	}
	return found
}

// repeated returns the shortest period of what is said again from the
// character i on, and where that ends; no period when nothing is. Of the repeats
// of the longest and of the shortest period the longer one counts.
func repeated(runes []rune, i int) (period, end int) {
	shortest, longest := 0, 0
	for p := 1; i+2*p <= len(runes); p++ {
		if slices.Equal(runes[i:i+p], runes[i+p:i+2*p]) {
			shortest, longest = cmp.Or(shortest, p), p
		}
	}
	if shortest == 0 {
		return 0, i
	}
	if end := endOf(runes, i, longest); end > endOf(runes, i, shortest) {
		for period = 1; !divides(runes[i:end], period); period++ {
		}
		return period, end
	}
	return shortest, endOf(runes, i, shortest)
}

// endOf returns where the text from i on stops repeating with the period.
func endOf(runes []rune, i, period int) int {
	end := i + period
	for end+period <= len(runes) && slices.Equal(runes[i:i+period], runes[end:end+period]) {
		end += period
	}
	return end
}

// divides reports whether the text is one of the period, over and over.
func divides(runes []rune, period int) bool {
	return len(runes)%period == 0 && slices.Equal(runes[period:], runes[:len(runes)-period])
}
