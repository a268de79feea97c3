package archtest

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	makeTarget = regexp.MustCompile(`(?m)^([a-z][a-z0-9-]*):`)
	sourcePath = regexp.MustCompile(`^(?:\./)?((?:cmd|clients|docs|internal|test|tools|web)/[\w./-]*[\w-])/?$`)
	noSource   = regexp.MustCompile(`\.\.\.|node_modules|web/dist|test/e2e/results|^clients/go/v`) // patterns, build output, tags
)

// named reports paths and make targets that a document names and that do not exist.
// Decision records and the changelog have the names of their time, and
// docs/integrating has files of other projects.
func named(t *tree) []string {
	makefile, err := fs.ReadFile(t.fs, "Makefile")
	if err != nil {
		return []string{err.Error()}
	}
	targets := map[string]bool{}
	for _, m := range makeTarget.FindAllStringSubmatch(string(makefile), -1) {
		targets[m[1]] = true
	}
	var broken []string
	err = walk(t.fs, func(name string) error {
		if path.Ext(name) != ".md" || name == "CHANGELOG.md" || strings.HasPrefix(name, "docs/decisions/") || strings.HasPrefix(name, "docs/integrating/") {
			return nil
		}
		text, err := fs.ReadFile(t.fs, name)
		for _, each := range samplesOf(string(text)) {
			for _, lost := range append(lostTargets(each.words, targets), lostPaths(t.fs, path.Dir(name), each.words)...) {
				broken = append(broken, fmt.Sprintf("%s:%d: %s", name, each.line, lost))
			}
		}
		return err
	})
	if err != nil {
		broken = append(broken, err.Error())
	}
	slices.Sort(broken)
	return slices.Clip(broken)
}

// sample is code in a document: a line of a block, or a part of a sentence.
type sample struct {
	line  int
	words []string
}

func samplesOf(text string) (all []sample) {
	block := false
	for n, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			block = !block
			continue
		}
		if block {
			all = append(all, sample{n + 1, strings.Fields(line)})
			continue
		}
		for _, part := range inline.FindAllString(line, -1) {
			all = append(all, sample{n + 1, strings.Fields(strings.Trim(part, "`"))})
		}
	}
	return all
}

func lostTargets(words []string, targets map[string]bool) (lost []string) {
	if len(words) == 0 || words[0] != "make" {
		return nil
	}
	for _, word := range words[1:] {
		if word == "#" || strings.Contains(word, "=") { // a comment, or a variable, whose value may have blanks
			break
		}
		if !targets[word] {
			lost = append(lost, "the Makefile has no target "+word)
		}
	}
	return lost
}

// lostPaths returns paths that exist neither from the root nor from the folder of the document.
func lostPaths(root fs.FS, folder string, words []string) (lost []string) {
	for _, word := range words {
		m := sourcePath.FindStringSubmatch(word)
		if m == nil || noSource.MatchString(word) {
			continue
		}
		_, here := fs.Stat(root, path.Join(folder, m[1]))
		if _, err := fs.Stat(root, path.Clean(m[1])); err != nil && here != nil {
			lost = append(lost, "there is no "+m[1])
		}
	}
	return lost
}

func TestNamed(t *testing.T) {
	t.Parallel()
	hold(t, named, map[string]string{
		"Makefile":               "run: build ## Run\nbuild:\n",
		"internal/a/a.go":        "package a",
		"test/a/tools/x.sh":      "",
		"README.md":              "Run `make run`, `make test` or `make`. See `internal/a`, `internal/b/` and `internal/<name>/x.go`.\nmake nothing of internal/c",
		"docs/a.md":              "```\nmake build lint X=y  # and so on\ngo test ./internal/a ./internal/d ./internal/...\n```",
		"test/a/README.md":       "`tools/x.sh` is here, `tools/y.sh` is not, `web/dist/x` is made.",
		"docs/decisions/0001.md": "`internal/gone`",
		"CHANGELOG.md":           "`make gone`",
	},
		"README.md:1: the Makefile has no target test",
		"README.md:1: there is no internal/b",
		"docs/a.md:2: the Makefile has no target lint",
		"docs/a.md:3: there is no internal/d",
		"test/a/README.md:1: there is no tools/y.sh",
	)
}
