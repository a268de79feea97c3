package zxcvbn

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
)

// listed holds a word a line, in the order of their bytes, with the letter of
// its dictionary and its rank there: "aaron m46".
//
//go:embed words.txt
var listed string

// word is an entry of a dictionary.
type word struct {
	dictionary string
	rank       int // the most frequent is 1
}

// lexicon is the list and the words that a caller adds.
type lexicon []string

// look returns the entries of the word, and whether any word begins like it.
func (l lexicon) look(text string) (entries []word, more bool) {
	line := seek(text)
	if rest, ok := strings.CutPrefix(line, text); ok {
		more = true
		if entry, ok := strings.CutPrefix(rest, " "); ok {
			entries = append(entries, parse(entry))
		}
	}
	for i, known := range slices.Backward(l) { // the last of two alike counts, as with the original
		if !strings.HasPrefix(known, text) {
			continue
		}
		more = true
		if known == text {
			return append(entries, word{Known, i + 1}), true
		}
	}
	return entries, more
}

// seek returns the first line of the list that is not before the text, "" when
// all are.
func seek(text string) string {
	low, high := 0, len(listed) // beginnings of lines
	for low < high {
		start := strings.LastIndexByte(listed[:(low+high)/2], '\n') + 1
		end := start + strings.IndexByte(listed[start:], '\n') + 1
		if listed[start:end] < text {
			low = end
		} else {
			high = start
		}
	}
	line, _, _ := strings.Cut(listed[low:], "\n")
	return line
}

func parse(entry string) word {
	rank, _ := strconv.Atoi(entry[1:]) // words_test.go reads every line
	return word{dictionary(entry[0]), rank}
}

// dictionary returns the name of the dictionary of a letter.
func dictionary(letter byte) string {
	switch letter {
	case 'e':
		return "english_wikipedia"
	case 'f':
		return "female_names"
	case 'm':
		return "male_names"
	case 's':
		return "surnames"
	case 'u':
		return "us_tv_and_film"
	}
	return "passwords"
}
