package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/trustelem/zxcvbn/frequency"
)

const file = "words.txt"

func main() {
	list := lines(frequency.FrequencyLists)
	if err := os.WriteFile(file, []byte(strings.Join(list, "")), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "generate: write the list of words:", err)
		os.Exit(1)
	}
	fmt.Printf("%d words\n", len(list))
}

// lines returns the sorted lines of the list. A word is in one dictionary
// only, that of its best rank: so the dictionaries were made.
func lines(dictionaries map[string][]string) []string {
	var list []string
	for name, words := range dictionaries {
		for i, word := range words {
			list = append(list, fmt.Sprintf("%s %c%d\n", strings.ToLower(word), name[0], i+1))
		}
	}
	slices.Sort(list)
	return list
}
