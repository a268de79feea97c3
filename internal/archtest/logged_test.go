package archtest

import (
	"fmt"
	"go/ast"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"
)

// quotedLog is a quotation that a sentence finds in the log: "the disk is full" in the log, or
// Portico's log names the settings ("another node has other settings").
var quotedLog = regexp.MustCompile(`"([a-z][^"]{9,90})"[^"|.]{0,20}\blog\b|\blog\b[^"|.]{0,50}\("([a-z][^"]{9,90})"\)`)

// loggedWords reports quotations of log entries, in the pages for operators, that no code
// has. An operator would search for them in vain.
func loggedWords(t *tree) []string {
	var texts strings.Builder
	for _, f := range t.production() {
		ast.Inspect(f.Go, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok {
				texts.WriteString(l.Value + "\n")
			}
			return true
		})
	}
	all := texts.String()
	var broken []string
	pages, err := fs.Glob(t.fs, "docs/operating/*.md")
	if err != nil {
		return []string{err.Error()}
	}
	for _, page := range pages {
		text, err := fs.ReadFile(t.fs, page)
		if err != nil {
			return []string{err.Error()}
		}
		for _, m := range quotedLog.FindAllStringSubmatch(string(text), -1) {
			if words := m[1] + m[2]; !strings.Contains(all, words) {
				broken = append(broken, fmt.Sprintf("%s: no code logs %q", path.Base(page), words))
			}
		}
	}
	return broken
}

func TestLoggedWords(t *testing.T) {
	t.Parallel()
	hold(t, loggedWords, map[string]string{
		"docs/operating/a.md": "| fault | \"the disk is full\" in the log |\n| x | \"the disk is broken\" in Portico's log |\n" +
			"The log of the node names them (\"other settings here\"). The log says so (\"other settings there\").\n",
		"internal/app/app.go": "package app\nfunc run() { log.Warn(\"the disk is full\"); log.Warn(\"other settings here: see\") }",
	},
		`a.md: no code logs "the disk is broken"`,
		`a.md: no code logs "other settings there"`,
	)
}
