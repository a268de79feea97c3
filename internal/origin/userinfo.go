package origin

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Escapes says how to write the characters of a user and a password that end them in a URL, or
// that have another meaning there: "/ as %2F and # as %23". It returns "" if there are none, and
// tells nothing else about the password. Call it for a URL that cannot be read as it is.
func Escapes(text string) string {
	_, rest, _ := strings.Cut(text, "://")
	end := strings.LastIndexByte(rest, '@')
	if end < 0 {
		return ""
	}
	var found []string
	for i, c := range []byte(rest[:end]) {
		if !strings.ContainsRune("/?#@[]\\\"<>^`{|} ", rune(c)) && (c != '%' || isEscape(rest[i:end])) {
			continue
		}
		name := string(c)
		if c == ' ' {
			name = "a space"
		}
		if how := fmt.Sprintf("%s as %%%02X", name, c); !slices.Contains(found, how) {
			found = append(found, how)
		}
	}
	slices.Sort(found)
	if strings.ContainsFunc(rest[:end], func(r rune) bool { return r >= utf8.RuneSelf }) {
		found = append(found, "other characters as their UTF-8 bytes, such as ü as %C3%BC")
	}
	if last := len(found) - 1; last > 0 {
		return strings.Join(found[:last], ", ") + " and " + found[last]
	}
	return strings.Join(found, "")
}

// isEscape reports whether a text begins with a percent sign and two hexadecimal digits.
func isEscape(s string) bool {
	return len(s) > 2 && strings.Trim(s[1:3], "0123456789abcdefABCDEF") == ""
}
