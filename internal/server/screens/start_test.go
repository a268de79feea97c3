package screens_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"portico/internal/locale"
	"portico/internal/screentest"
	"portico/internal/server/form"
	"portico/internal/server/screens"
	"portico/web"
)

// A document that is missing, or that shows more than the server fills in, stops
// the start. Otherwise its page would answer 500.
func TestNew_NeedsEveryDocument(t *testing.T) {
	t.Parallel()
	catalogue, err := locale.Load(web.Messages)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		change func(fstest.MapFS)
		want   string
	}{
		"all":         {func(fstest.MapFS) {}, ""},
		"missing":     {func(d fstest.MapFS) { delete(d, "documents/de/account.html") }, `the screen "account" in the locale "de"`},
		"unknown key": {func(d fstest.MapFS) { d["documents/en/error.html"] = file("{{html .more}}") }, "fill the screen error"},
		"no template": {func(d fstest.MapFS) { d["documents/en/error.html"] = file("{{") }, `the screen "error" in the locale "en"`},
		"no texts":    {func(d fstest.MapFS) { d["documents/en/error.html"] = file("{{.words}}") }, `the texts of the screen "error"`},
		"no manifest": {func(d fstest.MapFS) { delete(d, "documents/manifest.json") }, screens.ErrNotBuilt.Error()},
	} {
		dist := screentest.Documents("{{.boot}}")
		test.change(dist)
		_, err := screens.New(screens.Config{Actions: &form.Actions{}, Catalogue: catalogue, Dist: dist})
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
