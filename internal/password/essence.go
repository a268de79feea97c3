package password

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// fold removes accents from Latin, Greek and Cyrillic letters, because the
// lists of attackers and of zxcvbn have plain letters. In other scripts
// combining marks are vowels, and stay.
func fold(text string) string {
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if r >= '\u0300' && r <= '\u036f' { // Combining Diacritical Marks
			return -1
		}
		return r
	}, norm.NFD.String(text)))
}

// essence returns the part of the password that is worth judging: folded, with
// at most two equal characters in a row, and reduced to one period if it is a
// repetition, which it reports. zxcvbn finds repetitions in ASCII only, and
// misses an incomplete one.
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
