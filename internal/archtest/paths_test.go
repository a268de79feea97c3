package archtest

import (
	"fmt"
	"go/ast"
	"regexp"
	"strings"
	"testing"
)

// ownPage is the path of one of Portico's own pages. The JSON API below
// /auth/api has a table of its own.
var ownPage = regexp.MustCompile(`/auth/(signin|signup|forgot-password|verify-code|confirm-link|reset-password|account|signout|signed-out|error|provider)\b`)

// pagePaths holds that the path of a page is written in internal/pages and in no
// other package. The sample app links to Portico as an app of somebody else
// would, and spoof sends what an attacker would.
func pagePaths(t *tree) []string {
	var broken []string
	for _, f := range t.production() {
		switch {
		case !strings.HasPrefix(f.path, "internal/"), f.pkg() == "internal/pages", f.pkg() == "internal/apptest",
			f.pkg() == "internal/cli/spoof", f.path == "internal/dev/sample.go":
			continue
		}
		ast.Inspect(f.Go, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && ownPage.MatchString(text.Value) {
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
		"internal/a/fine.go":   "package a\n// See /auth/signin.\nconst z = \"/auth/api/signin\"\nconst p = \"/auth/accounts\"",
		"internal/a/a_test.go": "package a\nconst x = \"/auth/signin\"",
		"internal/pages/p.go":  "package pages\nconst x = \"/auth/signin\"",
		"clients/go/c.go":      "package client\nconst x = \"/auth/signin\"",
	},
		"internal/a/a.go:2: take the path of a page from internal/pages",
		"internal/a/a.go:3: take the path of a page from internal/pages",
	)
}
