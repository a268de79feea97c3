package security

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"portico/internal/store/pgtest"
	"portico/internal/testform"
)

// full reports whether the suite takes every sample and round.
func full() bool { return testform.Full() }

// rounds returns the number of rounds or samples of a test. The race detector
// makes hashing many times slower and distorts figures, so it gets fewer.
func rounds(quick, all int) int {
	switch {
	case full():
		return all
	case raceDetector:
		return max(1, quick/4)
	}
	return quick
}

// announce logs what the running test attacks. The attacks of some subjects end before the database, or
// only sign in: the short form makes them on SQLite alone.
func announce(t *testing.T) {
	t.Helper()
	subject := attacks().Announce(t)
	onceIsEnough := slices.Contains([]string{"gateway", "mail", "page", "redirect", "turn"}, subject)
	if onceIsEnough && !full() && cmp.Or(os.Getenv(pgtest.Engine), "sqlite") != "sqlite" {
		t.Skip("the short form makes this attack on SQLite")
	}
}

// missing lists the features that the product does not have yet, and the numbers
// that attack them. Remove a number when its feature comes: TestCatalogue then
// asks for its test.
func missing() map[string][]string {
	return map[string][]string{}
}

// TestMain prints what the product does not have, so that no reader takes a
// missing test for a passed one. Several apps at once keep a large
// heap of small objects: with the usual setting, collecting garbage takes half
// of the processor time of the suite. The limit keeps the process near 2 GiB.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(2 << 30)
	for _, reason := range slices.Sorted(maps.Keys(missing())) {
		fmt.Printf("n/a: %s: %s\n", strings.Join(missing()[reason], " "), reason)
	}
	os.Exit(m.Run())
}

// TestCatalogue_HasRows holds that each number with a test is in a row of docs/attacks*.md.
func TestCatalogue_HasRows(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/attacks*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	rows := ""
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for row := range strings.Lines(string(text)) {
			if at := strings.LastIndex(strings.TrimRight(row, " |\n"), "|"); at > 0 {
				rows += row[at:]
			}
		}
	}
	named := map[int]bool{}
	for _, m := range regexp.MustCompile(`\b(FLT-)?(\d+)(?: to (\d+))?`).FindAllStringSubmatch(rows, -1) {
		from, _ := strconv.Atoi(m[2])
		to, _ := strconv.Atoi(m[3])
		for n := from; m[1] == "" && n <= max(from, to); n++ {
			named[n] = true
		}
	}
	excused := slices.Concat(slices.Collect(maps.Values(missing()))...)
	for _, sentences := range attacks() {
		for k := range sentences {
			n, err := strconv.Atoi(strings.TrimPrefix(k, "SEC-"))
			if err == nil && !named[n] && !slices.Contains(excused, k) {
				t.Errorf("%s is in no row of docs/attacks*.md", k)
			}
		}
	}
}

// TestCatalogue holds that each number has a sentence, and either a test or a
// reason why it has none.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	attacks().Check(t, ".", slices.Concat(slices.Collect(maps.Values(missing()))...)...)
}
