package screens

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"portico/internal/server/door"
)

// A screen that only one side knows would be an error at run time, or a document
// that is never served.
func TestScreens_AreThoseOfTheFrontEnd(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../web/src/api/boot.ts")
	if err != nil {
		t.Fatal(err)
	}
	union := regexp.MustCompile(`(?s)export type ScreenName =(.*?);`).FindSubmatch(text)
	if union == nil {
		t.Fatal("boot.ts has no type ScreenName")
	}
	var theirs []string
	for _, m := range regexp.MustCompile(`'([a-z-]+)'`).FindAllSubmatch(union[1], -1) {
		theirs = append(theirs, string(m[1]))
	}
	ours := door.Screens()
	slices.Sort(ours)
	slices.Sort(theirs)
	if !slices.Equal(ours, theirs) {
		t.Errorf("the server has the screens %q, boot.ts %q", ours, theirs)
	}
}
