package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// noMutableState reports mutable package variables. A package variable must get
// its value in its declaration, must not be changed in the package, and must not
// be a lock, a pointer, or the result of make or new.
func noMutableState(t *tree) []string {
	var broken []string
	changed := map[string]map[string]bool{}
	for _, f := range t.production() {
		if changed[f.pkg()] == nil {
			changed[f.pkg()] = map[string]bool{}
		}
		collectChanges(f.Go, changed[f.pkg()])
	}
	for _, f := range t.production() {
		for _, d := range f.Go.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR || isEmbedded(g) {
				continue
			}
			for _, s := range g.Specs {
				spec := s.(*ast.ValueSpec)
				for i, name := range spec.Names {
					if why := mutable(spec, i, changed[f.pkg()]); why != "" {
						broken = append(broken, fmt.Sprintf("%s: the package variable %s %s: make it a field of what uses it", t.at(name), name.Name, why))
					}
				}
			}
		}
	}
	return broken
}

func mutable(spec *ast.ValueSpec, i int, changed map[string]bool) string {
	name := spec.Names[i].Name
	switch {
	case name == "_":
		return ""
	case i >= len(spec.Values):
		return "has no value of its own"
	case changed[name]:
		return "is changed"
	}
	switch v := spec.Values[i].(type) {
	case *ast.UnaryExpr:
		if v.Op == token.AND {
			return "is a pointer to what can be changed"
		}
	case *ast.CallExpr:
		if id, ok := v.Fun.(*ast.Ident); ok && (id.Name == "make" || id.Name == "new") {
			return "is made to be changed"
		}
	case *ast.CompositeLit:
		if sel, ok := v.Type.(*ast.SelectorExpr); ok && isPackage(sel.X, "sync", "atomic") && sel.Sel.Name != "Pool" {
			return "is made to be changed" // a sync.Pool is allowed: its content has no effect on results
		}
	}
	return ""
}

// collectChanges records the names that a file assigns to, increments, takes
// the address of or deletes from. It does not resolve scopes: rename a local
// variable with the same name.
func collectChanges(f *ast.File, names map[string]bool) {
	note := func(e ast.Expr) {
		if id := root(e); id != nil {
			names[id.Name] = true
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, e := range n.Lhs {
					note(e)
				}
			}
		case *ast.IncDecStmt:
			note(n.X)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				note(n.X)
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && (id.Name == "delete" || id.Name == "clear") && len(n.Args) > 0 {
				note(n.Args[0])
			}
		}
		return true
	})
}

// root returns the variable that an expression such as x[i].f or *x refers to.
func root(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.IndexExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return nil
		}
	}
}

func isPackage(e ast.Expr, names ...string) bool {
	id, ok := e.(*ast.Ident)
	for _, name := range names {
		if ok && id.Name == name {
			return true
		}
	}
	return false
}

// isEmbedded reports whether a go:embed directive sets the variable.
func isEmbedded(g *ast.GenDecl) bool {
	return g.Doc != nil && slices.ContainsFunc(g.Doc.List, func(c *ast.Comment) bool {
		return strings.HasPrefix(c.Text, "//go:embed")
	})
}

func TestNoMutableState(t *testing.T) {
	t.Parallel()
	hold(t, noMutableState, map[string]string{
		"a/a.go": `package a
var errFine = errors.New("x")
var _ I = T{}
//go:embed x
var fine string
var alsoFine = [...]int{1, 2}
var empty map[string]int
var lock = sync.Mutex{}
var pool = sync.Pool{}
var cache = make(map[string]int)
var pointer = &T{}
var counter = 0
var table = map[string]int{"a": 1}
var taken = T{}
func f() {
	counter++
	delete(table, "a")
	p := &taken.field
	local := 1
	local = 2
}`,
	},
		"a/a.go:7: the package variable empty has no value of its own: make it a field of what uses it",
		"a/a.go:8: the package variable lock is made to be changed: make it a field of what uses it",
		"a/a.go:10: the package variable cache is made to be changed: make it a field of what uses it",
		"a/a.go:11: the package variable pointer is a pointer to what can be changed: make it a field of what uses it",
		"a/a.go:12: the package variable counter is changed: make it a field of what uses it",
		"a/a.go:13: the package variable table is changed: make it a field of what uses it",
		"a/a.go:14: the package variable taken is changed: make it a field of what uses it",
	)
}
