package zxcvbn

import (
	"slices"
	"unicode"

	"github.com/trustelem/zxcvbn/match"
)

// in returns the words in the text, also those in which characters stand for
// letters.
func (l lexicon) in(t text) []*match.Match {
	lower := make([]rune, len(t.runes))
	for i, r := range t.runes {
		lower[i] = unicode.ToLower(r)
	}
	s := search{lexicon: l, text: t, lower: lower}
	for i := range lower {
		s.begin = i
		s.from(i, "")
	}
	return s.found
}

// backwards returns the words that are spelled from right to left.
func (l lexicon) backwards(t text) []*match.Match {
	turned := slices.Clone(t.runes)
	slices.Reverse(turned)
	found := l.in(newText(turned))
	for _, m := range found {
		i, end := len(turned)-1-m.J, len(turned)-m.I
		m.I, m.J, m.Token, m.Reversed = i, end-1, t.plain[i:end], true
	}
	return found
}

// search looks for words from each character of a text.
type search struct {
	lexicon
	text  text
	lower []rune
	found []*match.Match

	begin   int
	standIn []substitution // for the letters of the word so far
}

// substitution is a character that stands for a letter.
type substitution struct {
	char   rune
	letter byte
}

// from reads on from a character, as itself and as every letter that it may
// stand for, as long as some word begins like what was read.
func (s *search) from(i int, read string) {
	if i == len(s.lower) {
		return
	}
	char := s.lower[i]
	if s.readAs(char) == 0 {
		s.step(i, read+string(char))
	}
	for _, letter := range []byte(lettersOf(char)) {
		switch s.readAs(char) {
		case letter:
			s.step(i, read+string(rune(letter)))
		case 0:
			if slices.Contains(s.lower[s.begin:i], char) {
				continue // it stood for itself
			}
			s.standIn = append(s.standIn, substitution{char, letter})
			s.step(i, read+string(rune(letter)))
			s.standIn = s.standIn[:len(s.standIn)-1]
		}
	}
}

// step takes the word that ends with the character, and goes on behind it.
func (s *search) step(i int, read string) {
	entries, more := s.look(read)
	if !more {
		return
	}
	// A single sign is no word: 1 is not i.
	if len(s.standIn) == 0 || i > s.begin {
		for _, e := range entries {
			s.found = append(s.found, s.match(i, read, e))
		}
	}
	s.from(i+1, read)
}

func (s *search) match(i int, read string, e word) *match.Match {
	m := s.text.match("dictionary", s.begin, i+1)
	m.MatchedWord, m.Rank, m.DictionaryName = read, e.rank, e.dictionary
	if len(s.standIn) > 0 {
		m.L33t, m.Sub = true, make(map[string]string, len(s.standIn))
		for _, sub := range s.standIn {
			m.Sub[string(sub.char)] = string(rune(sub.letter))
		}
	}
	return m
}

// readAs returns the letter that the character stands for in the word so far,
// 0 for none.
func (s *search) readAs(char rune) byte {
	for _, sub := range s.standIn {
		if sub.char == char {
			return sub.letter
		}
	}
	return 0
}

// lettersOf returns the letters that a character may stand for.
func lettersOf(char rune) string {
	switch char {
	case '4', '@':
		return "a"
	case '8':
		return "b"
	case '(', '{', '[', '<':
		return "c"
	case '3':
		return "e"
	case '6', '9':
		return "g"
	case '!':
		return "i"
	case '1', '|':
		return "il"
	case '7':
		return "lt"
	case '0':
		return "o"
	case '$', '5':
		return "s"
	case '+':
		return "t"
	case '%':
		return "x"
	case '2':
		return "z"
	}
	return ""
}
