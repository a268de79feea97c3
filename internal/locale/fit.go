package locale

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/feature/plural"

	"portico/internal/legible"
)

// longest is the length limit of a text of the operator, in code points. The
// longest text of Portico has about 300.
const longest = 1000

var (
	anyPlaceholder = regexp.MustCompile(`\{\w+\}`)
	markup         = regexp.MustCompile(`</?[A-Za-z!][^>]*>|&#?\w+;`)
)

// misfit says why a message cannot replace one of Portico, and what to write.
// why is "" if it can.
func (m message) misfit(own message) (why, write string) {
	switch {
	case m.forms == nil && own.forms != nil:
		return "this text has plural forms", example(own)
	case m.forms != nil && own.forms == nil:
		return "this text has no plural forms", example(own)
	case m.forms == nil:
		return misfit(m.plain, own.plain, false)
	}
	for _, f := range forms {
		text, given := m.forms[f.form]
		_, needed := own.forms[f.form]
		if given != needed {
			why := "the plural form " + f.name + " is missing"
			if given {
				why = "this language has no plural form " + f.name
			}
			return why, example(own)
		}
		if !given {
			continue
		}
		if why, write := misfit(text, own.forms[plural.Other], true); why != "" {
			return "plural form " + f.name + ": " + why, write
		}
	}
	return "", ""
}

// misfit compares one text. A plural form may say its number in words.
func misfit(text, own string, isForm bool) (why, write string) {
	if strings.TrimSpace(text) == "" {
		return "the text is empty", "write a text, or remove the key"
	}
	if n := utf8.RuneCountInString(text); n > longest {
		return fmt.Sprintf("the text has %d characters", n), fmt.Sprintf("write at most %d", longest)
	}
	if why, write := badCharacter(text); why != "" {
		return why, write
	}
	if strings.Contains(text, "=?") { // in a subject it begins an encoded word (RFC 2047)
		return "it contains =?, which mail programs decode", "write a space between = and ?"
	}
	has, needs := placeholdersIn(text), placeholdersIn(own)
	optional := func(name string) bool { return isForm && name == "{count}" }
	if lost := slices.DeleteFunc(slices.Clone(needs), func(name string) bool { return optional(name) || slices.Contains(has, name) }); len(lost) > 0 {
		return "the text lacks " + strings.Join(lost, " and "), "write each one where its value belongs"
	}
	for _, name := range has {
		if optional(name) || slices.Contains(needs, name) {
			continue
		}
		write := "remove it: this text has no values"
		if len(needs) > 0 {
			write = "the values of this text are " + strings.Join(needs, ", ")
		}
		return name + " is not a value of this text", write
	}
	return "", ""
}

func placeholdersIn(text string) []string {
	found := anyPlaceholder.FindAllString(text, -1)
	slices.Sort(found)
	return slices.Compact(found)
}

// badCharacter finds characters that do not print or that change the order of
// others. In a text of words, isolates are right where each one ends: Arabic needs
// them. So is a soft hyphen.
func badCharacter(text string) (why, write string) {
	open := 0
	for _, r := range text {
		switch {
		case r >= '\u2066' && r <= '\u2068':
			open++
		case r == '\u2069':
			open--
		}
		if open < 0 {
			break
		}
	}
	if open != 0 {
		return "it contains a direction mark without its counterpart", "write one U+2069 after each U+2066, U+2067 and U+2068"
	}
	if err := legible.Check(strings.NewReplacer("\u2066", "", "\u2067", "", "\u2068", "", "\u2069", "", "\u00ad", "").Replace(text)); err != nil {
		return "it contains " + err.Error(), "remove it"
	}
	return "", ""
}

// example shows how the value of a message is written.
func example(own message) string {
	if own.forms == nil {
		return `write one text in quotes`
	}
	var parts []string
	for _, f := range forms {
		if _, ok := own.forms[f.form]; ok {
			parts = append(parts, `"`+f.name+`": "..."`)
		}
	}
	return "write {" + strings.Join(parts, ", ") + "}"
}

// all returns every text of a message.
func (m message) all() []string {
	if m.forms == nil {
		return []string{m.plain}
	}
	return slices.Sorted(maps.Values(m.forms))
}
