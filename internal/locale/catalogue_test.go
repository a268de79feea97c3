package locale_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"portico/internal/locale"
)

const english = `{
	"greet": "Hello {name}, {greet}",
	"only": "Only here",
	"tries": {"one": "{count} try left", "other": "{count} tries left"}
}`

func load(t *testing.T, files map[string]string) *locale.Catalogue {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	c, err := locale.Load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// messages returns the catalogue of the product.
func messages(t *testing.T) *locale.Catalogue {
	t.Helper()
	c, err := locale.Load(os.DirFS("../../web/src/i18n/messages"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestMessages_Agree(t *testing.T) {
	t.Parallel()
	c := messages(t)
	if !slices.Equal(c.Locales(), []string{"en", "ar", "de", "es", "fr"}) {
		t.Errorf("locales %v", c.Locales())
	}
	if err := c.Check(); err != nil {
		t.Error(err)
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	c := load(t, map[string]string{
		"en.json": english,
		"pl.json": `{
			"greet": "Witaj {name}",
			"tries": {"one": "{count} próba", "few": "{count} próby", "many": "{count} prób", "other": "{count} próby"}
		}`,
	})
	tests := []struct {
		name, loc, key string
		params         map[string]string
		want           string
	}{
		{"values are not read as placeholders", "en", "greet", map[string]string{"name": "{greet}", "greet": "{name}"}, "Hello {greet}, {name}"},
		{"missing parameter stays visible", "en", "greet", map[string]string{"greet": "hi"}, "Hello {name}, hi"},
		{"one", "en", "tries", map[string]string{"count": "1"}, "1 try left"},
		{"other", "en", "tries", map[string]string{"count": "0"}, "0 tries left"},
		{"count that is no number", "en", "tries", map[string]string{"count": "x"}, "x tries left"},
		{"few", "pl", "tries", map[string]string{"count": "23"}, "23 próby"},
		{"many", "pl", "tries", map[string]string{"count": "12"}, "12 prób"},
		{"key of the default locale only", "pl", "only", nil, "Only here"},
		{"unknown locale", "xx", "only", nil, "Only here"},
		{"unknown key", "en", "a.b", nil, "a.b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := c.Text(tt.loc, tt.key, tt.params); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTextOr(t *testing.T) {
	t.Parallel()
	c := load(t, map[string]string{"en.json": english, "pl.json": `{"greet": "Witaj {name}"}`})
	name := map[string]string{"name": "Mara"}
	for _, tt := range []struct{ key, other, want string }{
		{"only", "greet", "Only here"},
		{"of.later", "greet", "Witaj Mara"},
		{"of.later", "later", "later"},
	} {
		if got := c.TextOr("pl", tt.key, tt.other, name); got != tt.want {
			t.Errorf("%s or %s: %q, want %q", tt.key, tt.other, got, tt.want)
		}
	}
}

// A value of a text from right to left is isolated, unless it consists of digits.
func TestText_Isolates(t *testing.T) {
	t.Parallel()
	c := load(t, map[string]string{"en.json": `{"a": "{x}"}`, "de.json": `{"a": "{x}"}`, "ar.json": `{"a": "{x}"}`, "he.json": `{"a": "{x}"}`})
	for loc, want := range map[string]string{"en": "m@x.test", "de": "m@x.test", "ar": "\u2068m@x.test\u2069", "he": "\u2068m@x.test\u2069"} {
		if got := c.Text(loc, "a", map[string]string{"x": "m@x.test"}); got != want {
			t.Errorf("%s: got %q", loc, got)
		}
		if got := c.Text(loc, "a", map[string]string{"x": "123456"}); got != "123456" {
			t.Errorf("%s: got %q for digits", loc, got)
		}
	}
}

func TestRightToLeft(t *testing.T) {
	t.Parallel()
	for loc, want := range map[string]bool{"ar": true, "ar-EG": true, "fa": true, "he": true, "ur": true, "en": false, "de": false, "uz-Latn": false} {
		if locale.RightToLeft(loc) != want {
			t.Errorf("%s: got %v", loc, !want)
		}
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	c := load(t, map[string]string{"en.json": "{}", "de.json": "{}", "pt-BR.json": "{}"})
	for header, want := range map[string]string{
		"":                           "en",
		"de":                         "de",
		"de-AT,de;q=0.9,en;q=0.8":    "de",
		"fr-FR, de;q=0.5, en;q=0.4":  "de",
		"en-GB,de;q=0.9":             "en",
		"pt":                         "pt-BR",
		"ja":                         "en",
		"*":                          "en",
		"de;q=banana":                "en",
		"\x00\xff":                   "en",
		strings.Repeat("de-", 10000): "en",
	} {
		if got := c.Match(header); got != want {
			t.Errorf("Match(%.40q) = %s, want %s", header, got, want)
		}
	}
}

// Headers are remembered, each for one default.
func TestMatch_Remembers(t *testing.T) {
	t.Parallel()
	c := load(t, map[string]string{"en.json": "{}", "de.json": "{}"})
	german, ok := c.WithDefault("de")
	if !ok {
		t.Fatal("there is no such locale")
	}
	for range 2 {
		if a, b, d := c.Match("ja"), german.Match("ja"), c.Match("de"); a != "en" || b != "de" || d != "de" {
			t.Fatalf("the locales are %s, %s and %s", a, b, d)
		}
	}
}

func TestLoad_Refuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, file, text, want string }{
		{"no default locale", "de.json", `{}`, "en.json is missing"},
		{"name is no language", "en_messages_x.json", `{}`, "not a language tag"},
		{"broken JSON", "en.json", `{"a": "b"`, "en.json"},
		{"nested keys", "en.json", `{"a": {"b": "c"}}`, "not a plural form"},
		{"number", "en.json", `{"a": 1}`, "key a"},
		{"plural without other", "en.json", `{"a": {"one": "x"}}`, "other is missing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := locale.Load(fstest.MapFS{tt.file: {Data: []byte(tt.text)}})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want it to say %q", err, tt.want)
			}
		})
	}
}

func TestCheck_TakesAMissingText(t *testing.T) {
	t.Parallel()
	c := load(t, map[string]string{"en.json": english, "de.json": `{}`})
	if err := c.Check(); err != nil {
		t.Error(err)
	}
	text, err := c.JSON("de", []string{"only"})
	if err != nil || string(text) != `{"only":"Only here"}` || c.Pattern("de", "only", "") != "Only here" {
		t.Errorf("a script gets %s, %v", text, err)
	}
}

func TestCheck_Reports(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, german, want string }{
		{"extra key", strings.Replace(english, "{", `{"more": "x",`, 1), "key more is not in en"},
		{"placeholder", strings.Replace(english, "{name}", "{nome}", 1), "{nome}"},
		{"plural against plain", strings.Replace(english, `"Only here"`, `{"one":"a","other":"b"}`, 1), "plural in one locale"},
		{"missing form", strings.Replace(english, `"one": "{count} try left",`, "", 1), "form one is missing"},
		{"empty", strings.Replace(english, "Only here", " ", 1), "empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := load(t, map[string]string{"en.json": english, "de.json": tt.german}).Check()
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want it to say %q", err, tt.want)
			}
		})
	}
}

func TestWait(t *testing.T) {
	t.Parallel()
	c := messages(t)
	tests := []struct {
		d      time.Duration
		en, de string
	}{
		{-time.Second, "1 second", "1 Sekunde"},
		{time.Microsecond, "1 second", "1 Sekunde"},
		{29*time.Second + 1, "30 seconds", "30 Sekunden"},
		{59 * time.Second, "59 seconds", "59 Sekunden"},
		{59*time.Second + 1, "1 minute", "1 Minute"},
		{61 * time.Second, "2 minutes", "2 Minuten"},
		{90 * time.Minute, "90 minutes", "90 Minuten"},
		{2 * time.Hour, "2 hours", "2 Stunden"},
		{23*time.Hour + time.Second, "24 hours", "24 Stunden"},
	}
	for _, tt := range tests {
		if got := c.Wait("en", tt.d); got != tt.en {
			t.Errorf("en %v: got %q, want %q", tt.d, got, tt.en)
		}
		if got := c.Wait("de", tt.d); got != tt.de {
			t.Errorf("de %v: got %q, want %q", tt.d, got, tt.de)
		}
	}
}

func TestMoment(t *testing.T) {
	t.Parallel()
	c := messages(t)
	at := time.Date(2026, time.March, 7, 1, 5, 0, 0, time.FixedZone("", 2*3600))
	for loc, want := range map[string]string{
		"en": "March 6, 2026 at 23:05 UTC",
		"de": "6. März 2026 um 23:05 Uhr (UTC)",
		"ar": "6 \u2068مارس\u2069 2026 الساعة \u206823:05\u2069 (UTC)",
		"es": "6 de marzo de 2026, 23:05 (UTC)",
		"fr": "6 mars 2026 à 23:05 (UTC)",
	} {
		if got := c.Moment(loc, at); got != want {
			t.Errorf("%s: got %q, want %q", loc, got, want)
		}
	}
}
