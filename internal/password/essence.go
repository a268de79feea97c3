package password

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// fold takes the accents off Latin, Greek and Cyrillic letters, as guessers do:
// their lists are in plain letters, and so are those of zxcvbn. In other
// scripts marks are vowels, and stay.
func fold(text string) string {
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if r >= '\u0300' && r <= '\u036f' { // Combining Diacritical Marks
			return -1
		}
		return r
	}, norm.NFD.String(text)))
}

// essence returns what is worth judging of the password: folded, without a
// third same character in a row, and only once what is repeated from start to
// end, which it also reports. zxcvbn finds repeats in ASCII only, and loses one
// that it sees a part of.
func essence(text string) (runes []rune, repeated bool) {
	for _, r := range fold(text) {
		if n := len(runes); n < 2 || runes[n-1] != r || runes[n-2] != r {
			runes = append(runes, r)
		}
	}
	for period := 1; period <= len(runes)/2; period++ {
		if slices.Equal(runes[period:], runes[:len(runes)-period]) {
			return runes[:period], true
		}
	}
	return runes, false
}
