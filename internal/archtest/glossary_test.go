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
