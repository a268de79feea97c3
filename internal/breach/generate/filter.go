package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/FastFilter/xorfilter"

	"portico/internal/breach"
)

const (
	// shortest is the smallest length that any policy allows, in code points: a
	// shorter password is refused without the list.
	shortest = 8

	// Shorter words count when they are likely to be dressed up (montag in
	// Montag2024!): of letters only, and among the most common.
	shortestWord = 5
	commonWords  = 300_000 // lines of the list
)

// choose returns what the filter holds of the list: what a policy lets
// through, and words that it lets through with a little around them. The order
// is the list's (most common first), each key occurs once.
func choose(list []byte) (passwords, words []string) {
	seen := make(map[uint64]bool)
	line := 0
	for text := range strings.Lines(string(list)) {
		text = strings.TrimRight(text, "\r\n")
		line++
		key, length := breach.Key(text), utf8.RuneCountInString(text)
		switch {
		case seen[key]:
			continue
		case length >= shortest:
			passwords = append(passwords, text)
		case length >= shortestWord && line <= commonWords && lettersOnly(text):
			words = append(words, text)
		default:
			continue
		}
		seen[key] = true
	}
	return passwords, words
}

func lettersOnly(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
}

// build returns the bytes of the filter of the entries. They do not depend on
// the order: keys are sorted, and the library's random numbers start from
// a constant.
func build(entries []string) ([]byte, error) {
	keys := make([]uint64, len(entries))
	for i, entry := range entries {
		keys[i] = breach.Key(entry)
	}
	slices.Sort(keys)
	fuse, err := xorfilter.NewBinaryFuse[uint16](slices.Compact(keys))
	if err != nil {
		return nil, fmt.Errorf("build the filter: %w", err)
	}
	var out bytes.Buffer
	if err := fuse.Save(&out); err != nil {
		return nil, fmt.Errorf("write the filter: %w", err)
	}
	return out.Bytes(), nil
}
