package screens

import (
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"portico/web"
)

// A document with the texts of a language in place of its marks is the document that React
// renders in that language, byte for byte.
func TestMarked_IsWhatTheBuildRenders(t *testing.T) {
	t.Parallel()
	catalogue := messages(t)
	for _, loc := range catalogue.Locales() {
		for _, name := range Names() {
			built, err := os.ReadFile("../../../web/.build/documents/" + loc + "/" + name + ".html")
			if err != nil {
				t.Skip("the screens are not built: run make build")
			}
			with, err := fs.ReadFile(web.Dist, "documents/"+name+".html")
			if err != nil {
				t.Fatal(err)
			}
			text, err := marked(string(with), catalogue, loc)
			if err != nil {
				t.Errorf("%s %s: %v", loc, name, err)
				continue
			}
			if text != string(built) {
				t.Errorf("%s %s: the document differs: %s", loc, name, difference(text, string(built)))
			}
		}
	}
}

// A text of the operator is in the document, and nothing in it is an action.
func TestMarked_TextOfTheOperator(t *testing.T) {
	t.Parallel()
	replaced, wrong, _ := messages(t).Replace(fstest.MapFS{"de.json": file(`{"signin.submit": "Los {"}`)}, nil)
	built, err := fs.ReadFile(web.Dist, "documents/signin.html")
	if wrong != nil || err != nil {
		t.Skip("the screens are not built: run make build")
	}
	text, err := marked(string(built), replaced, "de")
	if err != nil || !strings.Contains(text, ">Los &#123;<") || !strings.Contains(text, `<html lang="de">`) {
		t.Errorf("the text is not in the document: %v", err)
	}
}

func difference(got, want string) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return "..." + got[max(0, i-80):min(len(got), i+80)] + "... is ..." + want[max(0, i-80):min(len(want), i+80)]
		}
	}
	return "one is longer"
}
