package store_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// PostgreSQL is restored by its own tools, so the page about it has the statements of
// Rewind for the operator.
func TestRewind_IsInTheCommandsForPostgres(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("rewind.go")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/operating/postgresql.md")
	if err != nil {
		t.Fatal(err)
	}
	statements := regexp.MustCompile("`((?:UPDATE|DELETE FROM) \\w+)").FindAllSubmatch(source, -1)
	if len(statements) < 8 {
		t.Fatalf("rewind.go has the statements %q", statements)
	}
	for _, s := range statements {
		if !strings.Contains(string(page), string(s[1])) {
			t.Errorf("docs/operating/postgresql.md does not say to run %s", s[1])
		}
	}
}
