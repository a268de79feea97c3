package testform

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Catalogue says in one sentence for each number of a suite what its tests
// attack or break. The key of TestSEC041_CodesAreRandom is "SEC-041". The key of
// TestMove_Killed, which has no number, is "Move".
//
// The sentences are listed by subject. The file of a test has a name that begins
// with its subject: the tests of "code" are in code_*_test.go. The subject "" is
// for suites that have only one.
type Catalogue map[string]map[string]string

var (
	name     = regexp.MustCompile(`^Test([A-Za-z]+?)([0-9]*)(_|$)`)
	function = regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\) \{\n\t(.*)$`)
	numbered = regexp.MustCompile(`^([A-Z]+-)([0-9]+)$`)
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

// Announce logs the sentence of the running test and returns its subject. A reader of
// `go test -v`, or of a failure, learns what the number means.
func (c Catalogue) Announce(t *testing.T) (subject string) {
	t.Helper()
	k := key(t.Name())
	subject, ok := c.subject(k)
	if !ok {
		t.Fatalf("%q has no sentence in the catalogue; the next free number is %s", k, c.next())
	}
	t.Logf("%s: %s", k, c[subject][k])
	return subject
}

func (c Catalogue) subject(k string) (string, bool) {
	for _, subject := range slices.Sorted(maps.Keys(c)) {
		if c[subject][k] != "" {
			return subject, true
		}
	}
	return "", false
}

// keys returns all keys in order. A key that two subjects have is there twice.
func (c Catalogue) keys() []string {
	var all []string
	for _, sentences := range c {
		all = slices.AppendSeq(all, maps.Keys(sentences))
	}
	slices.Sort(all)
	return all
}

// next returns the number after the highest one.
func (c Catalogue) next() (free string) {
	highest := 0
	for _, k := range c.keys() {
		if m := numbered.FindStringSubmatch(k); m != nil {
			if n, _ := strconv.Atoi(m[2]); n >= highest {
				highest, free = n, fmt.Sprintf("%s%0*d", m[1], len(m[2]), n+1)
			}
		}
	}
	return free
}

// Check fails unless each test in the folder begins with announce(t), is in a
// file of its subject, and each sentence belongs to a test. The untested keys
// have a sentence and no test.
func (c Catalogue) Check(t *testing.T, folder string, untested ...string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(file)] = string(text)
	}
	for _, broken := range c.broken(texts, untested) {
		t.Error(broken)
	}
}

func (c Catalogue) broken(texts map[string]string, untested []string) (broken []string) {
	report := func(format string, args ...any) { broken = append(broken, fmt.Sprintf(format, args...)) }
	tested := map[string]bool{}
	for _, file := range slices.Sorted(maps.Keys(texts)) {
		for _, f := range function.FindAllStringSubmatch(texts[file], -1) {
			k := key(f[1])
			if k == "" {
				continue
			}
			tested[k] = true
			subject, ok := c.subject(k)
			switch {
			case !ok:
				report("%s: %s needs a sentence for %q in the catalogue; the next free number is %s", file, f[1], k, c.next())
			case subject != "" && !strings.HasPrefix(file, subject+"_"):
				report("%s: %s belongs into a file %s_*_test.go, where the catalogue has its sentence", file, f[1], subject)
			}
			if f[2] != "announce(t)" {
				report("%s: %s must begin with announce(t)", file, f[1])
			}
		}
	}
	keys := c.keys()
	for i, k := range keys {
		switch excused := slices.Contains(untested, k); {
		case i > 0 && k == keys[i-1]:
			report("%s has a sentence twice; the next free number is %s", k, c.next())
		case !tested[k] && !excused:
			report("%s has a sentence and no test", k)
		case tested[k] && excused:
			report("%s has a test, so it is not untested", k)
		}
	}
	for _, k := range untested {
		if !slices.Contains(keys, k) {
			report("%s has no sentence", k)
		}
	}
	return broken
}
