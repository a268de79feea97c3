package audit_test

import (
	"io/fs"
	"os"
	"path/filepath"
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

var (
	tableRow = regexp.MustCompile("(?m)^\\| ((?:`\\w+`(?:, )?)+) \\|(?:.*\\|)? ?(.*) \\|$")
	quoted   = regexp.MustCompile("`(\\w+)`")
)

// table returns the events of the first column, and the last column, of the rows of the
// tables that follow a heading on a page of docs/operating. Each event has one row.
func table(t *testing.T, page, head string) (rows [][2]string) {
	t.Helper()
	whole, err := os.ReadFile(filepath.Join("../../docs/operating", page))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(whole), "| "+head+" |")
	var found, want []string
	for _, row := range tableRow.FindAllStringSubmatch(text, -1) {
		for _, name := range quoted.FindAllStringSubmatch(row[1], -1) {
			rows, found = append(rows, [2]string{name[1], row[2]}), append(found, name[1])
		}
	}
	for _, name := range names(t) {
		want = append(want, name[2])
	}
	slices.Sort(found)
	slices.Sort(want)
	if !slices.Equal(found, want) {
		t.Errorf("the tables of %s have the events\n%q, want\n%q", page, found, want)
	}
	return rows
}

func TestNames_AreDocumented(t *testing.T) {
	t.Parallel()
	table(t, "audit.md", "event")
}

// Each event is emailed to the owner, or the table says why not. The tests of package
// flow compare the emails of each transaction with the table.
func TestNames_AreEmailed(t *testing.T) {
	t.Parallel()
	templates, err := os.ReadFile("../flow/mail.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range table(t, "emails-about-events.md", "record") {
		if strings.HasPrefix(row[1], "none, ") {
			continue
		}
		named := regexp.MustCompile("`([a-z-]+)`").FindAllStringSubmatch(row[1], -1)
		if !strings.HasPrefix(row[1], "`") || len(named) == 0 {
			t.Errorf("%s: the table names neither an email nor a reason for none: %q", row[0], row[1])
		}
		for _, template := range named {
			if !strings.Contains(string(templates), `"`+template[1]+`"`) {
				t.Errorf("%s: package flow has no email %s", row[0], template[1])
			}
		}
	}
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
		if strings.HasPrefix(name[2], "key_") || strings.HasPrefix(name[2], "registration_") || strings.HasPrefix(name[2], "webhook_") || slices.Contains([]string{"exported", "record_exported", "invitation_sent", "invitation_ended"}, name[2]) {
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
