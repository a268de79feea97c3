package audit_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// names returns the identifier and the text of each name of an event.
func names(t *testing.T) [][]string {
	t.Helper()
	source, err := os.ReadFile("audit.go")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^\t(\w+)\s+Name = "(\w+)"`).FindAllStringSubmatch(string(source), -1)
	if len(found) < 20 {
		t.Fatalf("audit.go has %d names", len(found))
	}
	return found
}

// The table of docs/operating/audit.md has a row for each name, in the same order.
func TestNames_AreDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/operating/audit.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| event |")
	var rows, want []string
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(table, -1) {
		rows = append(rows, row[1])
	}
	for _, name := range names(t) {
		want = append(want, name[2])
	}
	if !slices.Equal(rows, want) {
		t.Errorf("docs/operating/audit.md has the events\n%q, want\n%q", rows, want)
	}
}

// The security history of an account has words for each name, in every locale.
func TestNames_HaveWords(t *testing.T) {
	t.Parallel()
	catalogues, err := filepath.Glob("../../web/src/i18n/messages/*.json")
	if err != nil || len(catalogues) < 2 {
		t.Fatalf("%d catalogues (%v)", len(catalogues), err)
	}
	for _, path := range catalogues {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names(t) {
			if strings.HasPrefix(name[2], "key_") || strings.HasPrefix(name[2], "registration_") {
				continue // of no account
			}
			if key := "history." + name[2]; !strings.Contains(string(text), `"`+key+`"`) {
				t.Errorf("%s lacks %s", filepath.Base(path), key)
			}
		}
	}
}

// Every name of an event is used by the code that records it. A name that is never
// written would mislead an operator who searches for it.
func TestNames_AreRecorded(t *testing.T) {
	t.Parallel()
	var code strings.Builder
	err := fs.WalkDir(os.DirFS(".."), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(os.DirFS(".."), path)
		code.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names(t) {
		if !regexp.MustCompile(`\baudit\.` + name[1] + `\b`).MatchString(code.String()) {
			t.Errorf("no package records audit.%s", name[1])
		}
	}
}
