package screens

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"portico/internal/locale"
	"portico/internal/server/form"
	"portico/web"
)

// With the texts of Portico, a document with marks is the document that the build
// rendered in that language, byte for byte.
func TestMarked_IsWhatTheBuildRenders(t *testing.T) {
	t.Parallel()
	catalogue, err := locale.Load(web.Messages)
	if err != nil {
		t.Fatal(err)
	}
	for _, loc := range catalogue.Locales() {
		for _, name := range form.Screens() {
			built, err := fs.ReadFile(web.Dist, "documents/"+loc+"/"+name+".html")
			if err != nil {
				t.Skip("the screens are not built: run make build")
			}
			with, err := fs.ReadFile(web.Dist, "marked/"+name+".html")
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

// A language without texts of the operator has the very documents of the build,
// also beside a language that has some.
func TestText_IsTheBuiltDocument(t *testing.T) {
	t.Parallel()
	own, err := locale.Load(web.Messages)
	if err != nil {
		t.Fatal(err)
	}
	replaced, wrong, _ := own.Replace(fstest.MapFS{"de.json": {Data: []byte(`{"signin.submit": "Los {"}`)}}, nil)
	if wrong != nil {
		t.Fatal(wrong)
	}
	for loc, catalogue := range map[string]*locale.Catalogue{"de": own, "en": replaced, "ar": replaced} {
		built, err := fs.ReadFile(web.Dist, "documents/"+loc+"/signin.html")
		if err != nil {
			t.Skip("the screens are not built: run make build")
		}
		if text, err := text(web.Dist, catalogue, loc, "signin"); text != string(built) || err != nil {
			t.Errorf("%s: another document, %v", loc, err)
		}
	}
	text, err := text(web.Dist, replaced, "de", "signin")
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
