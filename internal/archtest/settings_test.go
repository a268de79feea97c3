package archtest

import (
	"fmt"
	"go/ast"
	"testing"
)

// unreadSettings reports fields of package config that no other package reads. Such a
// setting is taken, shown and documented, and has no effect.
func unreadSettings(t *tree) []string {
	const owner = "internal/config"
	read := map[string]bool{}
	var fields []string
	for _, f := range t.production() {
		ast.Inspect(f.Go, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				read[n.Sel.Name] = read[n.Sel.Name] || f.pkg() != owner
			case *ast.StructType:
				for _, field := range n.Fields.List {
					for _, name := range field.Names {
						if f.pkg() == owner && name.IsExported() {
							fields = append(fields, name.Name)
						}
					}
				}
			}
			return true
		})
	}
	var broken []string
	for _, name := range fields {
		if !read[name] {
			broken = append(broken, fmt.Sprintf("%s: no other package reads the field %s: hand it on in internal/app", owner, name))
		}
	}
	return broken
}

func TestUnreadSettings(t *testing.T) {
	t.Parallel()
	hold(t, unreadSettings, map[string]string{
		"internal/config/config.go":      "package config\ntype Config struct { Listen, Lost string; own int; TLS struct{ Cert, Gone string } }\nfunc (c *Config) check() { _ = c.Lost }",
		"internal/app/app.go":            "package app\nfunc run(c config.Config) { _, _ = c.Listen, c.TLS.Cert }",
		"internal/config/config_test.go": "package config\ntype fake struct { Unread string }",
	},
		"internal/config: no other package reads the field Lost: hand it on in internal/app",
		"internal/config: no other package reads the field Gone: hand it on in internal/app",
	)
}
