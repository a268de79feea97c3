package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
)

// print writes data: as JSON, or as lines of words.
func (s *session) print(asJSON bool, data any, lines ...string) error {
	if !asJSON {
		for _, line := range lines {
			if _, err := fmt.Fprintln(s.Stdout, plain(line)); err != nil {
				return err
			}
		}
		return nil
	}
	text, err := json.MarshalIndent(data, "", "  ")
	if err != nil {
		return err
	}
	lines = strings.Split(string(text), "\n")
	return s.print(false, nil, lines...)
}

// complain writes one line of words to standard error, also for an error of
// several lines: a line of its own could be a stranger's.
func complain(w io.Writer, words ...any) {
	text := strings.TrimSuffix(fmt.Sprintln(words...), "\n")
	_, _ = fmt.Fprintln(w, plain(strings.ReplaceAll(text, "\n", "; "))) // a failure has nowhere to go
}

// plain returns text without what a terminal carries out or what turns text
// around: control and formatting characters are written as JSON escapes them.
// Names, browsers and answers of other servers are strangers' words.
func plain(text string) string {
	var b strings.Builder
	for _, r := range text { // what is not UTF-8 becomes U+FFFD
		switch {
		case r == '\t', !unicode.IsControl(r) && !unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
