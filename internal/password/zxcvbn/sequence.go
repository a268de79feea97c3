package zxcvbn

import "github.com/trustelem/zxcvbn/match"

const widestStep = 5

// sequences returns the characters that follow each other at one distance:
// abcd, 97531.
func sequences(t text) []*match.Match {
	var found []*match.Match
	for i := 0; i < len(t.runes)-1; {
		step := t.runes[i+1] - t.runes[i]
		end := i + 2
		for end < len(t.runes) && t.runes[end]-t.runes[end-1] == step {
			end++
		}
		width := max(step, -step)
		if width == 1 || width > 0 && width <= widestStep && end-i > 2 {
			m := t.match("sequence", i, end)
			m.Ascending = step > 0
			found = append(found, m)
		}
		i = end - 1
	}
	return found
}
