package testform

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// Catalogue says in one sentence for each number of a suite what its tests
// attack or break. The key of TestSEC041_CodesAreRandom is "SEC-041". The key of
// TestMove_Killed, which has no number, is "Move".
type Catalogue map[string]string

var (
	name     = regexp.MustCompile(`^Test([A-Za-z]+?)([0-9]*)(_|$)`)
	function = regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\) \{\n\t(.*)$`)
)

// key returns the key of a test, or "" for one that needs no sentence.
func key(test string) string {
	m := name.FindStringSubmatch(test)
	switch {
	case m == nil || m[1] == "Catalogue":
		return ""
	case m[2] == "":
		return m[1]
	}
	return m[1] + "-" + m[2]
}

// Announce logs the sentence of the running test. A reader of `go test -v`, or of
// a failure, learns what the number means.
func (c Catalogue) Announce(t *testing.T) {
	t.Helper()
	k := key(t.Name())
	if c[k] == "" {
		t.Fatalf("%q has no sentence in the catalogue", k)
	}
	t.Logf("%s: %s", k, c[k])
}

// Check fails unless each test in the folder begins with announce(t) and each
// sentence belongs to a test. The untested keys have a sentence and no test.
func (c Catalogue) Check(t *testing.T, folder string, untested ...string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	tested := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range function.FindAllStringSubmatch(string(text), -1) {
			k := key(f[1])
			if k == "" {
				continue
			}
			tested[k] = true
			if c[k] == "" {
				t.Errorf("%s: %s needs a sentence for %q in the catalogue", file, f[1], k)
			}
			if f[2] != "announce(t)" {
				t.Errorf("%s: %s must begin with announce(t)", file, f[1])
			}
		}
	}
	for _, k := range slices.Sorted(maps.Keys(c)) {
		switch excused := slices.Contains(untested, k); {
		case !tested[k] && !excused:
			t.Errorf("%s has a sentence and no test", k)
		case tested[k] && excused:
			t.Errorf("%s has a test, so it is not untested", k)
		}
	}
	for _, k := range untested {
		if c[k] == "" {
			t.Errorf("%s has no sentence", k)
		}
	}
}
