package password

import (
	"maps"
	"slices"
	"testing"

	"github.com/trustelem/zxcvbn/frequency"
	"github.com/trustelem/zxcvbn/match"
	"github.com/trustelem/zxcvbn/matching"
)

// ReleaseDictionaries empties the dictionaries that zxcvbn reads. ranked builds them
// again with the same ranks.
func TestReleaseDictionaries(t *testing.T) {
	filled := dictionaries.ranks
	t.Cleanup(func() { dictionaries.ranks = filled })
	isWord := func(m *match.Match) bool { return m.Pattern == "dictionary" }
	if !slices.ContainsFunc(matching.Omnimatch("dragon", nil), isWord) {
		t.Error("zxcvbn does not know a word")
	}
	if !maps.EqualFunc(filled, ranked(frequency.FrequencyLists), maps.Equal) {
		t.Error("the dictionaries are filled with other ranks than zxcvbn gives")
	}
	ReleaseDictionaries()
	if slices.ContainsFunc(matching.Omnimatch("dragon", nil), isWord) {
		t.Error("zxcvbn still knows a word: its variable has another name")
	}
}
