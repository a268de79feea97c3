package archtest

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// tree is the source code of a repository.
type tree struct {
	fset  *token.FileSet
	files []file // sorted by path
	fs    fs.FS
}

// file is one source file. Go is nil for other languages.
type file struct {
	path  string
	lines int
	test  bool
	made  bool // has a comment that says it is generated
	Go    *ast.File
}

// pkg returns the folder of a Go file: "internal/server/api".
func (f file) pkg() string { return path.Dir(f.path) }

// at returns the position of a node, for messages.
func (t *tree) at(n ast.Node) string {
	p := t.fset.Position(n.Pos())
	return p.Filename + ":" + strconv.Itoa(p.Line)
}

// read parses every Go, assembly, TS and TSX file below root.
func read(t *testing.T, root fs.FS) *tree {
	t.Helper()
	r := &tree{fset: token.NewFileSet(), fs: root}
	if err := walk(root, func(name string) error { return r.add(root, name) }); err != nil {
		t.Fatal(err)
	}
	return r
}

// walk calls fn for every file below root, except third-party and build output.
func walk(root fs.FS, fn func(name string) error) error {
	return fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			switch base := d.Name(); {
			case base == "node_modules", base == "testdata", base == "dist", base != "." && strings.HasPrefix(base, "."):
				return fs.SkipDir
			}
			return nil
		}
		return fn(name)
	})
}

func (t *tree) add(root fs.FS, name string) error {
	ext := path.Ext(name)
	if !slices.Contains(list(".go .s .ts .tsx"), ext) {
		return nil
	}
	data, err := fs.ReadFile(root, name)
	if err != nil {
		return err
	}
	f := file{path: name, lines: bytes.Count(data, []byte("\n"))}
	f.test = strings.HasSuffix(name, "_test.go") || strings.Contains(name, ".test.ts") || strings.Contains(name, ".spec.ts") || strings.HasPrefix(name, "test/e2e/")
	if ext == ".go" {
		if f.Go, err = parser.ParseFile(t.fset, name, data, parser.ParseComments|parser.SkipObjectResolution); err != nil {
			return err
		}
		f.made = ast.IsGenerated(f.Go)
	}
	t.files = append(t.files, f)
	return nil
}

// production returns the Go files that are part of the binary.
func (t *tree) production() []file {
	var fs []file
	for _, f := range t.files {
		if f.Go != nil && !f.test {
			fs = append(fs, f)
		}
	}
	return fs
}

// rule returns its violations, one per line.
type rule func(*tree) []string

// rules returns the rules of this repository.
func rules() map[string]rule {
	return map[string]rule{
		"arrows":                arrows,
		"banned imports":        bannedImports,
		"banned calls":          bannedCalls,
		"error comparisons":     errorComparisons,
		"package comments":      packageComments,
		"sizes":                 sizes,
		"sizes of documents":    pageSizes,
		"index of decisions":    decisionIndex,
		"settings without use":  unreadSettings,
		"assembly":              assembly,
		"no init":               noInit,
		"no mutable state":      noMutableState,
		"ended sessions":        endedSessions,
		"judged effects":        judgedEffects,
		"holders of flow":       heldTypes,
		"fault codes":           faultCodes,
		"words of the faults":   words,
		"links":                 links,
		"tables":                tables,
		"names in documents":    named,
		"paths of pages":        pagePaths,
		"quoted log entries":    loggedWords,
		"names in the glossary": glossaryNames,
		"rows of the glossary":  glossaryRows,
	}
}

func TestRepository(t *testing.T) {
	t.Parallel()
	r := read(t, os.DirFS("../.."))
	if len(r.production()) == 0 {
		t.Fatal("no source was found")
	}
	for name, check := range rules() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, line := range check(r) {
				t.Error(line)
			}
		})
	}
}

// hold runs a rule on a small tree and compares its violations.
func hold(t *testing.T, check rule, files map[string]string, want ...string) {
	t.Helper()
	root := fstest.MapFS{}
	for name, text := range files {
		root[name] = &fstest.MapFile{Data: []byte(text)}
	}
	if diff := cmp.Diff(want, check(read(t, root))); diff != "" {
		t.Errorf("violations (-want +got):\n%s", diff)
	}
}
