package config

import (
	"slices"
	"strings"
)

// suggest returns what to write instead of an unknown name.
func suggest(name string, spell func(key) string) string {
	if array, _, _ := strings.Cut(name, "."); slices.Contains(tableArrays(), array) {
		if _, _, ok := tableOf(name); !ok {
			return "write each " + array + " as its own table, [[" + array + "]] in two brackets, with its settings below"
		}
	}
	if parts := strings.Split(name, "."); len(parts) == 3 && parts[0] == "providers" && valid(parts[1]) == "" {
		return "name the provider in lower-case letters, digits and _, such as [providers.corp]"
	}
	table := strings.ToLower(strings.TrimPrefix(name, envPrefix)) + "."
	if own := slices.IndexFunc(keys(), func(k key) bool { return strings.HasPrefix(k.name, table) }); own >= 0 {
		return "it has settings of its own: write one of them, such as " + spell(keys()[own])
	}
	if meant, ok := misplaced(name); ok {
		return "move " + meant + " above the first [table] of the file"
	}
	if meant, ok := nearest(name, spell); ok {
		return "write " + spell(meant.key)
	}
	return "remove it; 'portico config doc' lists the settings"
}

// misplaced returns the top-level setting that was written below a table, for
// example because it was appended to the file.
func misplaced(name string) (string, bool) {
	at := strings.LastIndexByte(name, '.')
	if at < 0 {
		return "", false
	}
	own := name[at+1:]
	if slices.ContainsFunc(withFiles(candidates(name)), func(k spelled) bool { return len(name) != len(k.name) && changes(name, k.name) == 1 }) {
		return "", false // a mistyped setting of the table, which rules for roles is not
	}
	return own, slices.ContainsFunc(withFiles(keys()), func(k spelled) bool { return k.name == own })
}

// nearest returns the key whose name is closest, if one is close enough.
func nearest(name string, spell func(key) string) (best spelled, found bool) {
	distance := min(4, len(name)/2) // more changes make a different word
	known := append(keys(), providerKeys(likelyProvider(name))...)
	if array, n, ok := tableOf(name); ok {
		known = tableKeys(array, n)
	}
	for _, k := range withFiles(known) {
		if d := changes(name, spell(k.key)); d < distance {
			best, distance, found = k, d, true
		}
	}
	return best, found
}

// Nearest returns the known name that is closest to another one, if one is close
// enough.
func Nearest(name string, known []string) (best string, found bool) {
	distance := min(5, len(name)/2)
	for _, k := range known {
		if d := changes(name, k); d < distance {
			best, distance, found = k, d, true
		}
	}
	return best, found
}

// OneFrom says what to write in place of a word that is not in a list.
func OneFrom(typed string, words []string) string {
	if meant, ok := Nearest(strings.ToLower(typed), words); ok {
		return "write " + meant + ", or another one of " + strings.Join(words, ", ")
	}
	return "write one of " + strings.Join(words, ", ")
}

// likelyProvider returns the part of a name that may be a provider id.
func likelyProvider(name string) string {
	name = strings.ToLower(strings.TrimPrefix(name, envPrefix))
	if parts := strings.FieldsFunc(name, func(r rune) bool { return r == '.' || r == '_' }); len(parts) > 1 {
		return parts[1]
	}
	return "id"
}

// changes returns the Levenshtein distance of a and b. For a name of more than
// 64 bytes it returns 64, so that a long name costs no time.
func changes(a, b string) int {
	const longest = 64
	if len(a) > longest {
		return longest
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
