package password

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/trustelem/zxcvbn/match"

	"portico/internal/fault"
)

const (
	// enough is the number of guesses that a new password must withstand. Below
	// it are words with a year, a number and a sign, which rules about
	// character classes produce. Above it are random passwords of eight letters
	// and digits. strength_test.go measures both.
	enough = 2e7

	// enoughAround is the number of guesses for the characters around a listed
	// word.
	enoughAround = 1e4
)

const (
	judged = 48 // code points of a password that are judged
	half   = 24 // code points: the work of the estimate grows with the third power
)

// Reasons of CodeGuessable.
const (
	reasonRepeat   = "repeat"
	reasonSequence = "sequence"
	reasonKeyboard = "keyboard"
	reasonDate     = "date"
	reasonName     = "name"
	reasonWord     = "word"
	reasonShort    = "short"

	reasonContext = "context" // has a code of its own
)

// judge returns the fault of a password that is too easy to guess, in general
// or with knowledge of the words.
func (s *Service) judge(text string, words []string) []fault.Field {
	if reason, weak := weakness(text, words); weak {
		if reason == reasonContext {
			return refuse(CodeContainsContext, nil)
		}
		return refuse(CodeGuessable, because(reason))
	}
	if s.dressedUp(text) {
		return refuse(CodeGuessable, because(reasonWord))
	}
	// Several words of the address in a row count as many guesses, although an
	// attacker who knows the address tries them first. The rest must be strong
	// enough alone.
	if rest, found := without(text, words); found {
		if _, weak := weakness(rest, words); weak {
			return refuse(CodeContainsContext, nil)
		}
	}
	return nil
}

// weakness reports whether neither half withstands enough guesses, and what is
// wrong with the first half.
func weakness(text string, words []string) (reason string, weak bool) {
	runes, repeated := essence(text)
	known := slices.Concat(words, years())
	for part := range slices.Chunk(runes[:min(len(runes), judged)], half) {
		guesses, sequence := estimate(string(part), known)
		if guesses >= enough {
			return "", false
		}
		reason = cmp.Or(reason, reasonOf(sequence, words))
	}
	if repeated && reason != reasonContext {
		return reasonRepeat, true
	}
	return cmp.Or(reason, reasonShort), true
}

// dressedUp reports whether the password is a listed word with a little around
// it (Montag2024!). zxcvbn only knows English words and assumes that the order
// of the parts is unknown. Attackers know both.
func (s *Service) dressedUp(text string) bool {
	core := strings.TrimFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	if len(core) == len(text) || !s.breached.Contains(core) {
		return false
	}
	around := []rune(strings.Replace(text, core, "", 1))
	guesses, _ := estimate(string(around[:min(len(around), half)]), years())
	return guesses < enoughAround
}

func because(reason string) map[string]string { return map[string]string{"reason": reason} }

// reasonOf blames what is easiest to change: a word that is known about the
// person, else the longest part with a pattern.
func reasonOf(sequence []*match.Match, words []string) string {
	reason, length := reasonShort, 0
	for _, m := range sequence {
		if m.DictionaryName == knownWords && slices.Contains(words, m.MatchedWord) {
			return reasonContext
		}
		if r, ok := patternReason(m); ok && len(m.Token) > length {
			reason, length = r, len(m.Token)
		}
	}
	return reason
}

func patternReason(m *match.Match) (string, bool) {
	switch m.Pattern {
	case "repeat":
		return reasonRepeat, true
	case "sequence":
		return reasonSequence, true
	case "spatial":
		return reasonKeyboard, true
	case "date", "regex": // zxcvbn's one regular expression matches recent years
		return reasonDate, true
	case "dictionary":
		return dictionaryReason(m.DictionaryName), true
	}
	return "", false
}

func dictionaryReason(dictionary string) string {
	switch dictionary {
	case knownWords: // one of years, because it is none of the words
		return reasonDate
	case "male_names", "female_names", "surnames":
		return reasonName
	}
	return reasonWord
}

// years returns the years that zxcvbn misses: its pattern ends in 2019.
func years() []string {
	const first, last = 2020, 2039
	list := make([]string, 0, last-first+1)
	for year := first; year <= last; year++ {
		list = append(list, strconv.Itoa(year))
	}
	return list
}
