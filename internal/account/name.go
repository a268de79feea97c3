package account

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"portico/internal/fault"
)

const maxName = 100 // code points

// ParseName checks a name as typed at the sign-up form, and returns it in one
// spelling (NFC), with single spaces. An empty name is no fault here.
//
// The fault, if any, is one of the field: a name that is too long, or that has
// control characters or characters that turn text around. They are refused and
// not removed, so that no one gets another name than they typed.
func ParseName(typed, field string) (string, *fault.Field) {
	if len(typed) > 8*maxName { // before anything is parsed
		return "", nameTooLong(field)
	}
	if !utf8.ValidString(typed) || strings.ContainsFunc(typed, unfitForName) {
		return "", &fault.Field{Name: field, Code: CodeNameCharacter}
	}
	name := strings.Join(strings.Fields(norm.NFC.String(typed)), " ")
	if utf8.RuneCountInString(name) > maxName {
		return "", nameTooLong(field)
	}
	if !strings.ContainsFunc(name, unicode.IsGraphic) {
		return "", nil // nothing but joiners
	}
	return name, nil
}

func nameTooLong(field string) *fault.Field {
	return &fault.Field{Name: field, Code: CodeNameTooLong, Params: map[string]string{"count": strconv.Itoa(maxName)}}
}

// unfitForName reports control, formatting and private characters. The two
// joiners are letters' own in Persian and in the scripts of India.
func unfitForName(r rune) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	switch {
	case unicode.IsSpace(r), r == nonJoiner, r == joiner:
		return false
	case r == utf8.RuneError, unicode.IsControl(r):
		return true
	}
	return unicode.In(r, unicode.Cf, unicode.Co)
}

// CleanName makes a name out of what a provider or an operator gives: without
// control and formatting characters, and not longer than a name.
func CleanName(name string) string {
	if !utf8.ValidString(name) {
		return ""
	}
	name = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unfitForName(r) {
			return -1
		}
		return r
	}, name)), " ")
	if runes := []rune(name); len(runes) > maxName {
		return string(runes[:maxName])
	}
	return name
}
