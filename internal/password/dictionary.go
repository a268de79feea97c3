package password

import (
	"strings"
	"sync"
	_ "unsafe" // for go:linkname

	"github.com/trustelem/zxcvbn/frequency"
)

// dictionaries is a variable of zxcvbn: the words that it knows, by the name of their
// list, with the rank of each. zxcvbn fills it when the program starts (decision 73).
//
//go:linkname dictionaries github.com/trustelem/zxcvbn/matching.defaultRankedDictionnaries
var dictionaries struct{ ranks map[string]map[string]int }

// ReleaseDictionaries gives back the 6 MiB of the dictionaries until a password is
// judged. Call it before anything else in this package, once.
func ReleaseDictionaries() { dictionaries.ranks = nil }

// loadDictionaries fills the dictionaries at its first call, if they were released.
var loadDictionaries = sync.OnceFunc(func() {
	if dictionaries.ranks == nil {
		dictionaries.ranks = ranked(frequency.FrequencyLists)
	}
})

// ranked returns the rank of each word in its list, as zxcvbn counts it.
func ranked(lists map[string][]string) map[string]map[string]int {
	ranks := make(map[string]map[string]int, len(lists))
	for name, words := range lists {
		ranks[name] = make(map[string]int, len(words))
		for i, word := range words {
			ranks[name][strings.ToLower(word)] = i + 1
		}
	}
	return ranks
}
