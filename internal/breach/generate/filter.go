package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/FastFilter/xorfilter"

	"portico/internal/breach"
)

// shortest is the smallest length that any policy allows, in code points: a
// shorter word is refused without the list.
const shortest = 8

// choose returns the words of the list that a policy lets through, in the
// list's order (most common first), each key once.
func choose(list []byte) []string {
	var words []string
	seen := make(map[uint64]bool)
	for line := range strings.Lines(string(list)) {
		word := strings.TrimRight(line, "\r\n")
		key := breach.Key(word)
		if utf8.RuneCountInString(word) < shortest || seen[key] {
			continue
		}
		seen[key] = true
		words = append(words, word)
	}
	return words
}

// build returns the bytes of the filter of words. They do not depend on the
// words' order: keys are sorted, and the library's random numbers start from
// a constant.
func build(words []string) ([]byte, error) {
	keys := make([]uint64, len(words))
	for i, word := range words {
		keys[i] = breach.Key(word)
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
