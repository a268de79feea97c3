package screens

import (
	"io/fs"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"portico/internal/locale"
	"portico/internal/server/form"
	"portico/web"
)

// A document that is missing stops the start. Otherwise its page would answer 500.
func TestNew_NeedsEveryDocument(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(fstest.MapFS)
		want   string
	}{
		"all":         {func(fstest.MapFS) {}, ""},
		"missing":     {func(d fstest.MapFS) { delete(d, "documents/account.html") }, `the screen "account"`},
		"no style":    {func(d fstest.MapFS) { d["documents/manifest.json"] = file(`{"style_hashes":{"error":"a"}}`) }, `the screen "error"`},
		"no manifest": {func(d fstest.MapFS) { delete(d, "documents/manifest.json") }, ErrNotBuilt.Error()},
	} {
		dist := documents()
		test.change(dist)
		_, err := New(Config{Actions: &form.Actions{}, Catalogue: messages(t), Dist: dist})
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

// Each document of the build can be read, and shows no more than the server fills in.
func TestDocuments_CanBeFilled(t *testing.T) {
	t.Parallel()
	s, err := New(Config{Actions: &form.Actions{}, Catalogue: messages(t), Dist: web.Dist})
	if err != nil {
		t.Skip("the screens are not built: run make build")
	}
	for loc, documents := range s.documents {
		for i, d := range documents {
			for _, text := range []string{"", "yes"} {
				b := s.boot(Screen(i), loc)
				fillEvery(reflect.ValueOf(&b).Elem(), text)
				if _, err := d.fill(b); err != nil {
					t.Errorf("%s %s, with %q everywhere: %v", loc, Screen(i), text, err)
				}
			}
		}
	}
}

// fillEvery gives each list one entry, and each empty text a value.
func fillEvery(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fillEvery(v.Field(i), text)
			}
		}
	case reflect.Slice:
		if v.Len() == 0 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		}
		for i := range v.Len() {
			fillEvery(v.Index(i), text)
		}
	case reflect.String:
		if v.Len() == 0 {
			v.SetString(text)
		}
	}
}

func TestDocument_SaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want string }{
		"unknown key": {"{{html .more}}", `no entry for key "more"`},
		"no template": {"{{", "unclosed action"},
		"no texts":    {"{{.words}}", "no list of its texts"},
	} {
		dist := documents()
		dist["documents/error.html"] = file(test.text)
		s, err := New(Config{Actions: &form.Actions{}, Catalogue: messages(t), Dist: dist})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.documents["en"][ScreenError].plain(); err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "error") {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

func messages(t *testing.T) *locale.Catalogue {
	t.Helper()
	catalogue, err := locale.Load(web.Messages)
	if err != nil {
		t.Fatal(err)
	}
	return catalogue
}

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

// documents returns a front end as screentest does, which imports this package.
func documents() fstest.MapFS {
	dist := fstest.MapFS{"documents/manifest.json": file("{}"), "assets": {Mode: fs.ModeDir}, "documents/keys.json": file("{}")}
	for _, name := range Names() {
		dist["documents/"+name+".html"] = file("{{.boot}}")
	}
	return dist
}
