package cli

import (
	"regexp"
	"strings"
)

var (
	assignment = regexp.MustCompile(`(?m)^([a-z_.]+)[ \t]*=.*$`)
	table      = regexp.MustCompile(`(?m)^[ \t]*\[`)
)

// merged returns the text of a file of settings with the settings of another text. A
// setting replaces its commented example. Without one, it goes to the end, before the first
// table. An existing setting stays.
func merged(text, from string) string {
	for _, line := range assignment.FindAllStringSubmatch(from, -1) {
		key := `[ \t]*` + regexp.QuoteMeta(line[1]) + `[ \t]*=.*$`
		if regexp.MustCompile(`(?m)^` + key).MatchString(text) {
			continue
		}
		if at := regexp.MustCompile(`(?m)^#` + key).FindStringIndex(text); at != nil {
			text = text[:at[0]] + line[0] + text[at[1]:]
			continue
		}
		end := len(text)
		if at := table.FindStringIndex(text); at != nil {
			end = at[0]
		}
		text = strings.TrimLeft(strings.TrimRight(text[:end], "\n")+"\n\n"+line[0]+"\n\n"+text[end:], "\n")
	}
	return strings.TrimRight(text, "\n") + "\n"
}
