package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
)

// print writes data as JSON, or else the lines.
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

// complain writes one line to standard error. It joins the lines of an error,
// because a line inside an error can come from outside and imitate another
// message.
func complain(w io.Writer, words ...any) {
	text := strings.TrimSuffix(fmt.Sprintln(words...), "\n")
	_, _ = fmt.Fprintln(w, plain(strings.ReplaceAll(text, "\n", "; "))) // there is nowhere to report a failure
}

// plain escapes control and formatting characters as JSON does. Names,
// User-Agent headers and responses of other servers come from outside, and
// could otherwise control the terminal or reverse the text.
func plain(text string) string {
	var b strings.Builder
	for _, r := range text { // invalid UTF-8 becomes U+FFFD
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
