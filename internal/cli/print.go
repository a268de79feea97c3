package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"portico/internal/legible"
)

// print writes data as JSON, or else the lines. It escapes the text, because names,
// User-Agent headers and responses of other servers come from outside, and could control
// the terminal or reverse the text.
func (s *session) print(asJSON bool, data any, lines ...string) error {
	if !asJSON {
		for _, line := range lines {
			if _, err := fmt.Fprintln(s.Stdout, legible.Escape(line)); err != nil {
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

// list prints items as JSON, or a line for each.
func list[T any, O fmt.Stringer](s *session, asJSON bool, items []T, shown func(T) O) error {
	all, lines := make([]O, len(items)), make([]string, len(items))
	for i, item := range items {
		all[i] = shown(item)
		lines[i] = all[i].String()
	}
	return s.print(asJSON, all, lines...)
}

// filled returns a line for each part, its name and its value, that has a value.
func filled(parts [][2]string) (lines []string) {
	for _, part := range parts {
		if part[1] != "" {
			lines = append(lines, part[0]+"\t"+part[1])
		}
	}
	return lines
}

// complain writes one line to standard error. It joins the lines of an error,
// because a line inside an error can come from outside and imitate another
// message.
func complain(w io.Writer, words ...any) {
	text := strings.TrimSuffix(fmt.Sprintln(words...), "\n")
	_, _ = fmt.Fprintln(w, legible.Escape(strings.ReplaceAll(text, "\n", "; "))) // there is nowhere to report a failure
}
