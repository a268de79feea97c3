package audit_test

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// Every name of an event is used by the code that records it. A name that is never
// written would mislead an operator who searches for it.
func TestNames_AreRecorded(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("audit.go")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`(?m)^\t(\w+)\s+Name = "\w+"`).FindAllStringSubmatch(string(source), -1)
	if len(names) < 20 {
		t.Fatalf("audit.go has %d names", len(names))
	}
	var code strings.Builder
	err = fs.WalkDir(os.DirFS(".."), ".", func(path string, d fs.DirEntry, err error) error {
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
	for _, name := range names {
		if !regexp.MustCompile(`\baudit\.` + name[1] + `\b`).MatchString(code.String()) {
			t.Errorf("no package records audit.%s", name[1])
		}
	}
}
