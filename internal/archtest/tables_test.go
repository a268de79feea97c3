package archtest

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"
)

// tableHead matches the line below the head of a table.
var tableHead = regexp.MustCompile(`^\| *:?--`)

// tables reports rows that an empty line cuts off from their table: they would show as text.
func tables(t *tree) []string {
	var broken []string
	err := walk(t.fs, func(name string) error {
		if path.Ext(name) != ".md" {
			return nil
		}
		text, err := fs.ReadFile(t.fs, name)
		lines := append(strings.Split(string(text), "\n"), "")
		code := false
		for i, line := range lines[1 : len(lines)-1] {
			if strings.HasPrefix(strings.TrimSpace(lines[i]), "```") {
				code = !code
			}
			if !code && strings.TrimSpace(lines[i]) == "" && strings.HasPrefix(line, "|") && !tableHead.MatchString(lines[i+2]) {
				broken = append(broken, fmt.Sprintf("%s:%d: no table: delete the empty line above, or add a head", name, i+2))
			}
		}
		return err
	})
	if err != nil {
		return []string{err.Error()}
	}
	return broken
}

func TestTables(t *testing.T) {
	t.Parallel()
	hold(t, tables, map[string]string{
		"docs/a.md": "\n| a |\n|---|\n| b |\n\n| c |\n| d |\n\n```\n\n| e |\n```\n\n| f |\n\n| g |",
	},
		"docs/a.md:6: no table: delete the empty line above, or add a head",
		"docs/a.md:14: no table: delete the empty line above, or add a head",
		"docs/a.md:16: no table: delete the empty line above, or add a head",
	)
}
