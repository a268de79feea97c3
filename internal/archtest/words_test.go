package archtest

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const messages = "web/src/i18n/messages"

var codeForm = regexp.MustCompile(`^[a-z]+(_[a-z]+)*(\.[a-z]+(_[a-z]+)*)*$`)

// code is a code in a fault.go: a constant Code..., or a literal where a fault is made.
type code struct {
	value, at string
}

func codes(t *tree) []code {
	var found []code
	for _, f := range t.production() {
		if path.Base(f.path) != "fault.go" {
			continue
		}
		ast.Inspect(f.Go, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok {
				found = append(found, codesOf(t, spec)...)
			} else if lit := codeLiteral(n); lit != nil {
				found = append(found, code{strings.Trim(lit.Value, `"`), t.at(lit)})
			}
			return true
		})
	}
	return found
}

func codesOf(t *tree, spec *ast.ValueSpec) []code {
	var found []code
	for i, name := range spec.Names {
		rest, named := strings.CutPrefix(name.Name, "Code")
		if !named || rest == "" || rest[0] < 'A' || rest[0] > 'Z' || i >= len(spec.Values) {
			continue
		}
		lit, ok := spec.Values[i].(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			continue
		}
		value, err := strconv.Unquote(lit.Value)
		if err != nil {
			continue
		}
		found = append(found, code{value, t.at(name)})
	}
	return found
}

// faultCodes reports codes that are malformed, written twice, or written outside of
// fault.go, where codes would miss them.
func faultCodes(t *tree) []string {
	var broken []string
	owner := map[string]string{}
	for _, c := range codes(t) {
		if !codeForm.MatchString(c.value) {
			broken = append(broken, fmt.Sprintf("%s: the code %q is not dotted lower-case words", c.at, c.value))
		}
		if first, taken := owner[c.value]; taken {
			broken = append(broken, fmt.Sprintf("%s: the code %q is that of %s already", c.at, c.value, first))
		}
		owner[c.value] = c.at
	}
	for _, f := range t.production() {
		ast.Inspect(f.Go, func(n ast.Node) bool {
			if lit := codeLiteral(n); lit != nil && path.Base(f.path) != "fault.go" {
				broken = append(broken, fmt.Sprintf("%s: name the code %s by a constant Code... in fault.go", t.at(lit), lit.Value))
			}
			return true
		})
	}
	return broken
}

// codeLiteral returns the literal in fault.New(kind, "...") or
// fault.Field{Code: "..."}, or nil.
func codeLiteral(n ast.Node) *ast.BasicLit {
	var arg ast.Expr
	switch n := n.(type) {
	case *ast.CallExpr:
		if isFault(n.Fun, "New") && len(n.Args) == 2 {
			arg = n.Args[1]
		}
	case *ast.CompositeLit:
		if !isFault(n.Type, "Field") {
			return nil
		}
		for _, e := range n.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok && isPackage(kv.Key, "Code") {
				arg = kv.Value
			}
		}
	}
	lit, _ := arg.(*ast.BasicLit)
	return lit
}

func isFault(e ast.Expr, name string) bool {
	sel, ok := e.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == name && isPackage(sel.X, "fault")
}

func TestFaultCodes(t *testing.T) {
	t.Parallel()
	hold(t, faultCodes, map[string]string{
		"a/fault.go": "package a\nconst (\nCodeFine = \"a.fine_one\"\nCodeBad = \"A-Bad\"\nCodeLength = 6\nCoder = \"x y\"\n)\nvar _ = fault.New(fault.Invalid, \"Odd\")",
		"b/b.go":     "package b\nvar _ = fault.New(fault.Invalid, \"b.stray\")\nvar _ = fault.Field{Name: \"x\", Code: \"b.field\"}\nvar _ = fault.New(fault.Invalid, CodeTaken)",
		"b/fault.go": "package b\nconst CodeTaken = \"a.fine_one\"",
	},
		`a/fault.go:4: the code "A-Bad" is not dotted lower-case words`,
		`a/fault.go:8: the code "Odd" is not dotted lower-case words`,
		`b/fault.go:2: the code "a.fine_one" is that of a/fault.go:3 already`,
		`b/b.go:2: name the code "b.stray" by a constant Code... in fault.go`,
		`b/b.go:3: name the code "b.field" by a constant Code... in fault.go`,
	)
}

// words reports codes without a text in English. Translations may come later.
func words(t *tree) []string {
	var broken []string
	const name = messages + "/en.json"
	data, err := fs.ReadFile(t.fs, name)
	if err != nil {
		return []string{err.Error()}
	}
	var texts map[string]json.RawMessage
	if err := json.Unmarshal(data, &texts); err != nil {
		return []string{name + ": " + err.Error()}
	}
	for _, c := range codes(t) {
		if text, ok := texts["error."+c.value]; !ok || slices.Contains([]string{`""`, "null", "{}"}, string(text)) {
			broken = append(broken, fmt.Sprintf("%s: %s has no words: add the key error.%s", c.at, name, c.value))
		}
	}
	return broken
}

func TestWords(t *testing.T) {
	t.Parallel()
	hold(t, words, map[string]string{
		"a/fault.go":          "package a\nconst CodeOne = \"a.one\"\nconst CodeTwo = \"a.two\"\nconst CodeThree = \"a.three\"",
		messages + "/en.json": `{"error.a.one": "", "error.a.three": {"other": "Say that."}}`,
	},
		"a/fault.go:2: "+messages+"/en.json has no words: add the key error.a.one",
		"a/fault.go:3: "+messages+"/en.json has no words: add the key error.a.two",
	)
	hold(t, words, map[string]string{"a/a.go": "package a"}, "open "+messages+"/en.json: file does not exist")
}
