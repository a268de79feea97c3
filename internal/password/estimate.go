package password

import (
	"strings"
	"unicode"

	"github.com/trustelem/zxcvbn/match"
	"github.com/trustelem/zxcvbn/matching"
	"github.com/trustelem/zxcvbn/scoring"
)

// knownWords is the dictionary of zxcvbn that holds the caller's words.
const knownWords = "user_inputs"

// estimate returns how many guesses find the password, and the patterns in it
// from left to right. Guessers try the known words first, in their order. The
// count leaves out the extra guesses of zxcvbn for the number of patterns.
//
// The work grows with the third power of the length: bound it.
func estimate(password string, known []string) (float64, []*match.Match) {
	spelling := spelling{}
	text := spelling.of(password)
	words := make([]string, len(known))
	origin := make(map[string]string, len(known))
	for i, word := range known {
		words[i] = spelling.of(word)
		origin[words[i]] = word
	}
	result := scoring.MostGuessableMatchSequence(text, matching.Omnimatch(text, words), true)
	for _, m := range result.Sequence {
		if m.DictionaryName == knownWords {
			m.MatchedWord = origin[m.MatchedWord]
		}
	}
	return result.Guesses, result.Sequence
}

// spelling replaces characters outside ASCII by single bytes, the same
// character always by the same byte. zxcvbn counts bytes and would take each
// such character for two to four.
type spelling map[rune]rune

func (s spelling) of(text string) string {
	return strings.Map(func(r rune) rune {
		if r <= unicode.MaxASCII {
			return r
		}
		if _, ok := s[r]; !ok {
			s[r] = standIn(len(s))
		}
		return s[r]
	}, text)
}

// standIn returns the n-th control character in an order without sequences:
// neighbors differ by more than the five steps that zxcvbn counts as a
// sequence. After 31 characters the order starts again, which only lowers the
// estimate.
func standIn(n int) rune {
	const controls, step = 31, 7
	return rune(1 + n*step%controls)
}
