package locale_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"portico/internal/locale"
)

// own is a catalogue of two languages. Polish has four plural forms.
func own(t *testing.T) *locale.Catalogue {
	t.Helper()
	return load(t, map[string]string{
		"en.json": `{"greet": "Hello {name}", "only": "Only", "tries": {"one": "{count} try for {name}", "other": "{count} tries for {name}"}}`,
		"pl.json": `{"greet": "Witaj {name}", "only": "Tylko", "tries": {"one": "{count} a {name}", "few": "{count} b {name}", "many": "{count} c {name}", "other": "{count} d {name}"}}`,
	})
}

func nearest(key string, known []string) (string, bool) {
	for _, k := range known {
		if k[0] == key[0] {
			return k, true
		}
	}
	return "", false
}

func replace(c *locale.Catalogue, files map[string]string) (with *locale.Catalogue, wrong, doubtful []locale.Mistake) {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return c.Replace(fsys, nearest)
}

func TestReplace(t *testing.T) {
	t.Parallel()
	c := own(t)
	with, wrong, doubtful := replace(c, map[string]string{
		"pl.json":    "\uFEFF" + `{"greet": "Dzień dobry, {name}! {name}!", "tries": {"one": "jeden {name}", "few": "{name} {count}", "many": "{name} {count}", "other": "{name} {count}"}}`,
		"en.json":    `{}`,
		"README.md":  "no texts",
		"pl.json~":   "no texts",
		".#pl.json":  "no texts",
		".json":      "no texts",
		"sub/x.json": "no texts",
	})
	if wrong != nil || doubtful != nil {
		t.Fatalf("%v, %v", wrong, doubtful)
	}
	name := map[string]string{"name": "Ada", "count": "3"}
	for key, want := range map[string]string{"greet": "Dzień dobry, Ada! Ada!", "only": "Tylko", "tries": "Ada 3"} {
		if got := with.Text("pl", key, name); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
	if got := with.Text("en", "greet", name); got != "Hello Ada" {
		t.Errorf("another language: %q", got)
	}
	if got := c.Text("pl", "greet", name); got != "Witaj Ada" {
		t.Errorf("the catalogue of before has changed: %q", got)
	}
	if with.Same(c) || !with.Same(with) {
		t.Error("Same does not see the difference")
	}
}

func TestReplace_Refuses(t *testing.T) {
	t.Parallel()
	const plural = `{"tries": {"one": "{count} {name}", "other": "{count} {name}"`
	tests := []struct{ name, file, text, want string }{
		{"unknown key", "en.json", "{\n\n\"gret\": \"x\"}", "en.json:3: gret: there is no such text: write greet"},
		{"unknown key, nothing like it", "en.json", `{"zzz": "x"}`, "en.json:1: zzz: there is no such text: 'portico texts en' prints all keys"},
		{"key twice", "en.json", "{\"only\": \"a\",\n\"only\": \"b\"}", "en.json:2: only: the same key is above: keep one of them"},
		{"lost placeholder", "en.json", `{"greet": "Hello"}`, "en.json:1: greet: the text lacks {name}: write each one where its value belongs"},
		{"unknown placeholder", "en.json", `{"greet": "Hello {name} {nome}"}`, "greet: {nome} is not a value of this text: the values of this text are {name}"},
		{"placeholder of a text without any", "en.json", `{"only": "{Only}"}`, "only: {Only} is not a value of this text: remove it"},
		{"lost in a plural form", "en.json", `{"tries": {"one": "one", "other": "{name}"}}`, "tries: plural form one: the text lacks {name}"},
		{"plural for a plain text", "en.json", `{"only": {"one": "a", "other": "b"}}`, "only: this text has no plural forms: write one text in quotes"},
		{"plain for a plural text", "en.json", `{"tries": "{name}"}`, `tries: this text has plural forms: write {"one": "...", "other": "..."}`},
		{"missing plural form", "pl.json", plural + `}}`, `tries: the plural form few is missing: write {"one": "...", "few": "...", "many": "...", "other": "..."}`},
		{"plural form of another language", "en.json", plural + `, "few": "{count} {name}"}}`, "tries: this language has no plural form few"},
		{"no plural form", "en.json", plural + `, "some": "{name}"}}`, `tries: "some" is not a plural form`},
		{"without other", "en.json", `{"tries": {"one": "{name}"}}`, "tries: the plural form other is missing"},
		{"empty", "en.json", `{"only": " "}`, "only: the text is empty: write a text, or remove the key"},
		{"null", "en.json", `{"only": null}`, "only: it is neither a text nor an object of plural forms"},
		{"number", "en.json", `{"only": 1}`, "only: it is neither a text nor an object of plural forms"},
		{"too long", "en.json", `{"only": "` + strings.Repeat("ä", 1001) + `"}`, "only: the text has 1001 characters: write at most 1000"},
		{"line break", "en.json", `{"only": "a\r\nBcc: b"}`, "only: it contains a line break (U+000D): remove it"},
		{"line separator", "en.json", `{"only": "a\u2028b"}`, "a line break (U+2028)"},
		{"tab", "en.json", `{"only": "a\tb"}`, "an invisible character (U+0009)"},
		{"escape", "en.json", `{"only": "a\u001bb"}`, "an invisible character (U+001B)"},
		{"C1", "en.json", `{"only": "a\u009bb"}`, "an invisible character (U+009B)"},
		{"mark of a document", "en.json", `{"only": "a\ue002b"}`, "an invisible character (U+E002)"},
		{"half a surrogate", "en.json", `{"only": "a\ud800b"}`, "an invisible character (U+FFFD)"},
		{"override", "en.json", `{"only": "a\u202eb"}`, "changes the direction of text (U+202E)"},
		{"open isolate", "en.json", `{"only": "a\u2067b"}`, "a direction mark without its counterpart"},
		{"end of an isolate", "en.json", `{"only": "\u2069a\u2068b"}`, "a direction mark without its counterpart"},
		{"encoded word", "en.json", `{"only": "=?utf-8?q?a?="}`, "it contains =?, which mail programs decode: write a space"},
		{"other language", "fr.json", `{}`, "fr.json: texts: there are no texts in fr: name the file after one of: en, pl"},
		{"no JSON", "en.json", "{\"only\": \"a\"\n\"greet\": \"b\"}", "en.json:2: texts: it is not an object of JSON: invalid character"},
		{"cut off", "en.json", "{\"only\": \"a\",\n", "en.json:1: texts: it is not an object of JSON"},
		{"more behind", "en.json", `{} {}`, "it is not an object of JSON"},
		{"a list", "en.json", `["a"]`, "it is not an object of JSON"},
		{"nothing", "en.json", ``, "it is not an object of JSON"},
		{"Latin-1", "en.json", "{\n\"only\": \"a\xe4\"}", "en.json:2: texts: it is not in UTF-8"},
		{"huge", "en.json", "{" + strings.Repeat(" ", 1<<20) + "}", "en.json: texts: it is not a file of texts: write a file of at most 1024 KiB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := own(t)
			with, wrong, _ := replace(c, map[string]string{tt.file: tt.text})
			if len(wrong) != 1 || !strings.Contains(asLine(wrong[0]), tt.want) {
				t.Errorf("got %v, want %q", wrong, tt.want)
			}
			if with != c {
				t.Error("the catalogue is another one")
			}
		})
	}
}

func asLine(m locale.Mistake) string {
	place, key := m.File, m.Key
	if m.Line > 0 {
		place += fmt.Sprintf(":%d", m.Line)
	}
	if key == "" {
		key = "texts"
	}
	return place + ": " + key + ": " + m.Why + ": " + m.Write
}

func TestReplace_ShowsMarkupAsTyped(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a <b>word</b>": "<b>", "a<br/>b": "<br/>", "a &amp; b": "&amp;", "it&#39;s": "&#39;", "<!-- a -->": "<!-- a -->",
		"1 < 2 > 0": "", "a & b; c": "", "<3": "", "<" + strings.Repeat("x", 60) + ">": "<" + strings.Repeat("x", 38) + "… ",
	} {
		with, wrong, doubtful := replace(own(t), map[string]string{"en.json": `{"only": "` + text + `"}`})
		if got := with.Text("en", "only", nil); wrong != nil || got != text {
			t.Errorf("%s: %q, %v", text, got, wrong)
		}
		if (len(doubtful) == 1) != (want != "") || want != "" && !strings.Contains(doubtful[0].Why, want) {
			t.Errorf("%s: warnings %v", text, doubtful)
		}
	}
}

// The output of portico texts can be used as it is.
func TestReplace_TakesTheTextsOfPortico(t *testing.T) {
	t.Parallel()
	c := messages(t)
	for _, loc := range c.Locales() {
		text, err := c.JSON(loc, c.Keys())
		if err != nil {
			t.Fatal(err)
		}
		with, wrong, doubtful := replace(c, map[string]string{loc + ".json": string(text)})
		again, err := with.JSON(loc, c.Keys())
		if err != nil || wrong != nil || doubtful != nil || string(again) != string(text) {
			t.Errorf("%s: %v %v %v", loc, wrong, doubtful, err)
		}
	}
}

func FuzzReplace(f *testing.F) {
	f.Add([]byte(`{"greet": "Hello {name}", "tries": {"one": "a", "other": "{name}"}}`))
	f.Add([]byte("{\"a\":\n[1,{}]}"))
	c, err := locale.Load(fstest.MapFS{"en.json": {Data: []byte(`{"greet": "Hello {name}"}`)}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		with, wrong, _ := c.Replace(fstest.MapFS{"en.json": {Data: data}}, nearestOfNone)
		for _, m := range wrong {
			if m.Why == "" || m.Write == "" || m.Line > strings.Count(string(data), "\n")+1 {
				t.Errorf("%+v", m)
			}
		}
		if text := with.Text("en", "greet", nil); !strings.Contains(text, "{name}") || strings.ContainsAny(text, "\r\n") {
			t.Errorf("the text is %q", text)
		}
	})
}

func nearestOfNone(string, []string) (string, bool) { return "", false }

// Texts lose what editors leave at their ends. A message gives the place of an invisible character inside a text.
func TestReplace_Unseen(t *testing.T) {
	t.Parallel()
	_, wrong, doubtful := replace(own(t), map[string]string{
		"en.json": "\ufeff{\r\n\"\u200bgreet \": \"\u00a0Hi there {name}\u200b \",\r\n\"only\": \"On\ufeffly\"}\r\n",
	})
	if len(doubtful) > 0 || len(wrong) != 1 || wrong[0].Line != 3 || wrong[0].Key != "only" || !strings.Contains(wrong[0].Why, "U+FEFF") {
		t.Errorf("%v, %v", wrong, doubtful)
	}
	with, wrong, _ := replace(own(t), map[string]string{"en.json": "{\"greet\": \"\u00a0Hi there {name}\u200b \", \"only\": \"Only \u2066x\u2069 \"}"})
	if got := with.Text("en", "greet", map[string]string{"name": "Ada"}); got != "Hi there Ada" || wrong != nil {
		t.Errorf("%+q, %v", got, wrong)
	}
	if got := with.Text("en", "only", nil); got != "Only \u2066x\u2069" {
		t.Errorf("%+q", got)
	}
}
