package archtest

import (
	"fmt"
	"go/ast"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// exported matches a code span such as `flow.Caller.Agent`.
var exported = regexp.MustCompile("`([a-z]+)\\.([A-Z]\\w*)(?:\\.([A-Z]\\w*))?`")

const glossary = "docs/glossary.md"

// glossaryNames requires that each exported name in the glossary exists, so that
// a rename in the code reaches the page.
func glossaryNames(t *tree) []string {
	text, err := fs.ReadFile(t.fs, glossary)
	if err != nil {
		return nil
	}
	known := exportedNames(t)
	var broken []string
	for i, line := range strings.Split(string(text), "\n") {
		for _, m := range exported.FindAllStringSubmatch(line, -1) {
			if name := strings.Trim(m[0], "`"); !slices.Contains(known, name) {
				broken = append(broken, fmt.Sprintf("%s:%d: there is no %s", glossary, i+1, name))
			}
		}
	}
	return broken
}

// exportedNames returns the top-level names, fields and methods of all packages,
// as "package.Name" and "package.Type.Name".
func exportedNames(t *tree) []string {
	var names []string
	for _, f := range t.production() {
		pkg := path.Base(f.pkg())
		for _, d := range f.Go.Decls {
			for _, name := range declared(d) {
				names = append(names, pkg+"."+name)
			}
		}
	}
	return names
}

func declared(d ast.Decl) []string {
	var names []string
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			receiver := d.Recv.List[0].Type
			if star, ok := receiver.(*ast.StarExpr); ok {
				receiver = star.X
			}
			name = fmt.Sprint(receiver) + "." + name
		}
		names = append(names, name)
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
				if structure, ok := s.Type.(*ast.StructType); ok {
					for _, field := range structure.Fields.List {
						for _, id := range field.Names {
							names = append(names, s.Name.Name+"."+id.Name)
						}
					}
				}
			case *ast.ValueSpec:
				for _, id := range s.Names {
					names = append(names, id.Name)
				}
			}
		}
	}
	return names
}

// glossaryRows requires that each row of a table in the glossary has the cells of the
// row above it: two terms that a merge puts on one line lose the second.
func glossaryRows(t *tree) []string {
	text, err := fs.ReadFile(t.fs, glossary)
	if err != nil {
		return nil
	}
	var broken []string
	above := 0
	for i, line := range strings.Split(string(text), "\n") {
		cells := strings.Count(line, "|")
		if above > 0 && cells > 0 && cells != above {
			broken = append(broken, fmt.Sprintf("%s:%d: the row has %d bars, the one above it %d", glossary, i+1, cells, above))
			continue
		}
		above = cells
	}
	return broken
}

func TestGlossaryRows(t *testing.T) {
	t.Parallel()
	hold(t, glossaryRows, map[string]string{
		"docs/glossary.md": "# A\n\n| a | b |\n|---|---|\n| c | d |\n| e | f | g | h |\n| i |\n| j | k |\n\n| l |\n",
	},
		"docs/glossary.md:6: the row has 5 bars, the one above it 3",
		"docs/glossary.md:7: the row has 2 bars, the one above it 3",
	)
}

func TestGlossaryNames(t *testing.T) {
	t.Parallel()
	hold(t, glossaryNames, map[string]string{
		"docs/glossary.md": "| `a.T`, `a.T.Field`, `a.T.Do`, `a.Func`, `a.Value`, `a.t`, `example.com` |\n| `a.Gone`, `a.T.Gone`, `b.T` |",
		"internal/a/a.go":  "package a\ntype T struct{ Field int }\nfunc (t *T) Do() {}\nfunc Func() {}\nvar Value = 1",
	},
		"docs/glossary.md:2: there is no a.Gone",
		"docs/glossary.md:2: there is no a.T.Gone",
		"docs/glossary.md:2: there is no b.T",
	)
}
