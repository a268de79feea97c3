package account

import (
	"strings"
	"unicode"
)

// Initials returns one or two letters that stand for a person without a picture: of
// the first and the last word of the name, else of the address.
func Initials(name, address string) string {
	words := strings.Fields(name)
	if len(words) == 0 {
		words = []string{address}
	}
	letters := first(words[0])
	if len(words) > 1 {
		letters += first(words[len(words)-1])
	}
	return letters
}

// first returns the first letter or digit of a word in capitals, "" for none.
func first(word string) string {
	for _, r := range word {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return string(unicode.ToUpper(r))
		}
	}
	return ""
}
