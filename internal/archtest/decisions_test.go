package archtest

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"
)

var recordTitle = regexp.MustCompile(`^# ([0-9]+)\. (.+)\n`)

// decisionIndex reports decision records that the index does not list with their title.
func decisionIndex(t *tree) []string {
	const folder = "docs/decisions"
	index, err := fs.ReadFile(t.fs, folder+"/README.md")
	if err != nil {
		return []string{err.Error()}
	}
	records, err := fs.Glob(t.fs, folder+"/[0-9]*.md")
	if err != nil {
		return []string{err.Error()}
	}
	var broken []string
	for _, name := range records {
		text, err := fs.ReadFile(t.fs, name)
		title := recordTitle.FindStringSubmatch(string(text))
		if err != nil || title == nil {
			broken = append(broken, name+": begin with the number and the title, as in \"# 7. Argon2id\"")
			continue
		}
		row := fmt.Sprintf("| %s | [%s](%s) |", title[1], title[2], path.Base(name))
		if !strings.Contains(string(index), row) {
			broken = append(broken, fmt.Sprintf("%s: the index has no row %s", name, row))
		}
	}
	return broken
}

func TestDecisionIndex(t *testing.T) {
	t.Parallel()
	hold(t, decisionIndex, map[string]string{
		"docs/decisions/README.md":      "| 1 | [Listed](0001-listed.md) | Accepted |",
		"docs/decisions/0001-listed.md": "# 1. Listed\n",
		"docs/decisions/0002-new.md":    "# 2. New\n",
		"docs/decisions/0003-plain.md":  "Plain\n",
	},
		"docs/decisions/0002-new.md: the index has no row | 2 | [New](0002-new.md) |",
		"docs/decisions/0003-plain.md: begin with the number and the title, as in \"# 7. Argon2id\"",
	)
}
