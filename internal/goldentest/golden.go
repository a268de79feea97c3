// Package goldentest compares what tests make with the files that keep it. With -update, these tests write the files:
// documents, generated code, and answers that a reader judges in the difference.
package goldentest

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the files that keep what the tests make")

// File compares a text with that of a file.
func File(t *testing.T, path, got string) {
	t.Helper()
	kept, err := os.ReadFile(path)
	switch {
	case err == nil && string(kept) == got:
	case *update:
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is out of date (%v): run go test -run %s -update in the package of this test, and read the difference (-kept +made):\n%s",
			path, err, t.Name(), cmp.Diff(strings.Split(string(kept), "\n"), strings.Split(got, "\n")))
	}
}

// Part compares a text with what is between two texts of a file.
func Part(t *testing.T, path, begin, end, got string) {
	t.Helper()
	kept, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, begun := strings.Cut(string(kept), begin)
	_, tail, ended := strings.Cut(rest, end)
	if !begun || !ended {
		t.Fatalf("%s has no place between %q and %q", path, begin, end)
	}
	File(t, path, head+begin+got+end+tail)
}
