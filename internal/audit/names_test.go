package audit_test

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"portico/internal/audit"
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

// Operators and admins read words for each name, and so does the owner of an account.
func TestNames_HaveWords(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../web/src/i18n/messages/en.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names(t) {
		if n := audit.Name(name[2]); !slices.Contains(audit.Names(), n) || n.Words() == "" {
			t.Errorf("words.go lacks %s", name[1])
		}
		if strings.HasPrefix(name[2], "key_") || strings.HasPrefix(name[2], "registration_") || strings.HasPrefix(name[2], "webhook_") || slices.Contains([]string{"exported", "record_exported", "job_stopped", "invitation_sent", "invitation_ended"}, name[2]) {
			continue // of no account
		}
		if key := "history." + name[2]; !strings.Contains(string(text), `"`+key+`"`) {
			t.Errorf("en.json lacks %s", key)
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
	recorded := map[string]bool{}
	for _, used := range regexp.MustCompile(`\baudit\.(\w+)`).FindAllStringSubmatch(code.String(), -1) {
		recorded[used[1]] = true
	}
	for _, name := range names(t) {
		if !recorded[name[1]] {
			t.Errorf("no package records audit.%s", name[1])
		}
	}
}
