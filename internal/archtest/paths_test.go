package archtest

import (
	"fmt"
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// ownPage is the path of one of Portico's own pages. The JSON API, the assets and
// the logo are not pages: the packages that serve them name their paths.
var ownPage = regexp.MustCompile(`/auth/([a-z][a-z-]*)`)

func isPage(literal string) bool {
	for _, path := range ownPage.FindAllStringSubmatch(literal, -1) {
		if !slices.Contains(list("api assets logo"), path[1]) {
			return true
		}
	}
	return false
}

// pagePaths holds that the path of a page is written in internal/pages and in no
// other package. The sample app links to Portico as an app of somebody else
// would, spoof sends what an attacker would, and clientpreset.go has paths of other
// apps.
func pagePaths(t *tree) []string {
	var broken []string
	for _, f := range t.production() {
		switch {
		case !strings.HasPrefix(f.path, "internal/"), f.pkg() == "internal/pages", f.pkg() == "internal/apptest",
			f.pkg() == "internal/cli/spoof", f.path == "internal/dev/sample.go", f.path == "internal/cli/clientpreset.go":
			continue
		}
		ast.Inspect(f.Go, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && isPage(text.Value) {
				broken = append(broken, fmt.Sprintf("%s: take the path of a page from internal/pages", t.at(n)))
			}
			return true
		})
	}
	return broken
}

func TestPagePaths(t *testing.T) {
	t.Parallel()
	hold(t, pagePaths, map[string]string{
		"internal/a/a.go":      "package a\nconst x = \"/auth/signin?flow=\"\nconst y = \"GET /auth/provider/{id}/start\"",
		"internal/a/fine.go":   "package a\n// See /auth/signin.\nconst z = \"/auth/api/signin\"\nconst p = \"GET /auth/assets/{file}\"",
		"internal/a/a_test.go": "package a\nconst x = \"/auth/signin\"",
		"internal/pages/p.go":  "package pages\nconst x = \"/auth/signin\"",
		"clients/go/c.go":      "package client\nconst x = \"/auth/signin\"",
	},
		"internal/a/a.go:2: take the path of a page from internal/pages",
		"internal/a/a.go:3: take the path of a page from internal/pages",
	)
}
