package zxcvbn

import (
	"slices"
	"strings"

	"github.com/trustelem/zxcvbn/match"
	"github.com/trustelem/zxcvbn/scoring"
)

// Known is the dictionary of the words that the caller adds.
const Known = "user_inputs"

// Estimate returns how many guesses find the password, and the patterns that
// they follow, from left to right. Known are lower-case words that are guessed
// first, in their order. The price for the number of patterns is left out (a
// guesser who tries their combination pays the order only), as with
// excludeAdditive of the original.
//
// The work grows with the third power of the length: bound it.
func Estimate(password string, known []string) (float64, []*match.Match) {
	t := newText([]rune(password))
	result := scoring.MostGuessableMatchSequence(t.plain, find(t, known), true)
	return result.Guesses, result.Sequence
}

func find(t text, known []string) []*match.Match {
	words := lexicon(known)
	return slices.Concat(
		words.in(t), words.backwards(t),
		keyboards(t), repeats(t), sequences(t), years(t), dates(t),
	)
}

// text is a password by its characters.
type text struct {
	runes []rune
	plain string // a byte for each of them: scoring counts bytes
}

func newText(runes []rune) text {
	const other = '\x7f' // stands in no pattern
	plain := make([]byte, len(runes))
	for i, r := range runes {
		plain[i] = other
		if r < other {
			plain[i] = byte(r)
		}
	}
	return text{runes: runes, plain: string(plain)}
}

// match returns a pattern from the character i to the character before end.
func (t text) match(pattern string, i, end int) *match.Match {
	return &match.Match{Pattern: pattern, I: i, J: end - 1, Token: t.plain[i:end]}
}

// allDigits reports whether text holds digits only.
func allDigits(text string) bool {
	return strings.Trim(text, "0123456789") == ""
}
