package archtest

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

var (
	link   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	inline = regexp.MustCompile("`[^`]*`")
	scheme = regexp.MustCompile(`^[a-z]+:`)
)

// page is a document with its headings and links.
type page struct {
	anchors []string
	links   []string // "line path#anchor"
}

// links reports links that lead nowhere, and documents below docs that no other
// page links to. A link to a folder counts for the documents in it, unless the
// folder has a README.md, which must then link to each of them.
func links(t *tree) []string {
	pages, broken := map[string]page{}, []string{}
	err := walk(t.fs, func(name string) error {
		if path.Ext(name) != ".md" {
			return nil
		}
		text, err := fs.ReadFile(t.fs, name)
		pages[name] = readPage(string(text))
		return err
	})
	if err != nil {
		return []string{err.Error()}
	}
	linked := map[string]bool{}
	for name, p := range pages {
		for _, l := range p.links {
			line, target, _ := strings.Cut(l, " ")
			target, anchor, _ := strings.Cut(target, "#")
			to := name
			if target != "" {
				to = path.Join(path.Dir(name), target)
				linked[to] = true
			}
			if _, err := fs.Stat(t.fs, to); err != nil {
				broken = append(broken, fmt.Sprintf("%s:%s: there is no %s", name, line, to))
			} else if anchor != "" && !slices.Contains(pages[to].anchors, anchor) {
				broken = append(broken, fmt.Sprintf("%s:%s: %s has no heading #%s", name, line, to, anchor))
			}
		}
	}
	for name := range pages {
		folder := path.Dir(name)
		_, indexed := pages[path.Join(folder, "README.md")]
		if strings.HasPrefix(name, "docs/") && !linked[name] && (!linked[folder] || indexed && path.Base(name) != "README.md") {
			broken = append(broken, name+": no page leads here")
		}
	}
	slices.Sort(broken)
	return slices.Clip(broken)
}

func readPage(text string) page {
	var p page
	code := false
	for n, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
		}
		if code {
			continue
		}
		if heading := strings.TrimLeft(line, "#"); heading != line && strings.HasPrefix(heading, " ") {
			p.anchors = append(p.anchors, anchorOf(heading))
		}
		for _, m := range link.FindAllStringSubmatch(inline.ReplaceAllString(line, ""), -1) {
			if !scheme.MatchString(m[1]) {
				p.links = append(p.links, fmt.Sprintf("%d %s", n+1, m[1]))
			}
		}
	}
	return p
}

// anchorOf returns the anchor that GitHub gives a heading.
func anchorOf(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(heading))
}

func TestLinks(t *testing.T) {
	t.Parallel()
	hold(t, links, map[string]string{
		"README.md": "# Here\n[a](docs/a.md), [b](docs/b.md#the-code-x), [all](docs/all), [set](docs/set), [out](https://x.test/y)\n" +
			"[self](#here) [no](#there) `[code](no.md)`\n```\n[code](no.md)\n# Not\n```\n[no](#not)",
		"docs/a.md":          "[up](../README.md#here)\n[gone](b/gone.md)\n[b](b.md#the-code-y)",
		"docs/b.md":          "## The code: `X`",
		"docs/all/one.md":    "one of all",
		"docs/set/README.md": "[one](one.md)",
		"docs/set/one.md":    "in the index",
		"docs/set/two.md":    "not in the index",
		"docs/lost.md":       "lost",
		"test/e2e/README.md": "its folder shows it",
	},
		"README.md:3: README.md has no heading #there",
		"README.md:8: README.md has no heading #not",
		"docs/a.md:2: there is no docs/b/gone.md",
		"docs/a.md:3: docs/b.md has no heading #the-code-y",
		"docs/lost.md: no page leads here",
		"docs/set/two.md: no page leads here",
	)
}
