package security

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"portico/internal/goldentest"
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
	onceIsEnough := slices.Contains([]string{"gateway", "load", "mail", "page", "redirect", "turn"}, subject)
	if onceIsEnough && leftToSQLite() {
		t.Skip("the short form makes this attack on SQLite")
	}
}

// leftToSQLite reports whether this is the short form on another engine, which leaves out what the engine does not change.
func leftToSQLite() bool {
	return !full() && cmp.Or(os.Getenv(pgtest.Engine), "sqlite") != "sqlite"
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

// TestCatalogue_IsDocumented holds that each number has a defense, and that docs/attacks.md has both.
func TestCatalogue_IsDocumented(t *testing.T) {
	t.Parallel()
	sentences := map[string]string{}
	for _, of := range attacks() {
		maps.Copy(sentences, of)
	}
	page := "# Attacks and defenses\n\n<!-- Made from test/security: change its texts, then run go test ./test/security -run Catalogue -update. -->\n\n" +
		"What Portico does, and below it which attacks of `test/security` it must stop. See also the [threat model](threat-model.md).\n" +
		"`grep -rn SEC041 test/security` finds the tests of a number.\n"
	defended := map[string]bool{}
	for _, c := range defenses() {
		page += "\n## " + c.title + "\n"
		for _, d := range c.defenses {
			page += "\n" + d.text + "\n\n"
			for _, m := range regexp.MustCompile(`(\d+)(?: to (\d+))?`).FindAllStringSubmatch(d.of, -1) {
				from, _ := strconv.Atoi(m[1])
				to, _ := strconv.Atoi(m[2])
				for n := from; n <= max(from, to); n++ {
					k := fmt.Sprintf("SEC-%03d", n)
					if sentence := sentences[k]; sentence != "" {
						page += "- " + k + ": " + sentence + "\n"
						defended[k] = true
					}
				}
			}
		}
	}
	for k := range sentences {
		if strings.HasPrefix(k, "SEC-") && !defended[k] {
			t.Errorf("%s is in no defense of defenses_test.go: add it to one", k)
		}
	}
	goldentest.File(t, "../../docs/attacks.md", page)
}

// TestCatalogue holds that each number has a sentence, and either a test or a
// reason why it has none.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	attacks().Check(t, ".", slices.Concat(slices.Collect(maps.Values(missing()))...)...)
}
