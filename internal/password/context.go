package password

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	shortestWord = 3   // code points: a shorter word occurs by chance
	longestWord  = 254 // code points: an address
	mostWords    = 32  // bounds the work; the longest words are kept
)

// contextWords returns what an attacker would try who knows the person and the
// site, longest first, folded and in lower case. These are each address and
// name as a whole, its local part and domain, their words, and the words joined
// (the context-specific words of ASVS 6.1.2).
func contextWords(about []string) []string {
	var words []string
	add := func(word string) {
		if n := utf8.RuneCountInString(word); n >= shortestWord && n <= longestWord {
			words = append(words, word)
		}
	}
	for _, name := range about {
		name = strings.ToLower(fold(name))
		add(name)
		for piece := range strings.SplitSeq(name, "@") {
			parts := strings.FieldsFunc(piece, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
			add(piece)
			add(strings.Join(parts, ""))
			for _, part := range parts {
				add(part)
			}
		}
	}
	slices.SortFunc(words, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	words = slices.Compact(words)
	return words[:min(len(words), mostWords)]
}

// without returns the password, folded and in lower case, with the words
// removed, and whether it contained any.
func without(text string, words []string) (rest string, found bool) {
	rest = strings.ToLower(fold(text))
	for _, word := range words {
		if strings.Contains(rest, word) {
			rest, found = strings.ReplaceAll(rest, word, ""), true
		}
	}
	return rest, found
}
