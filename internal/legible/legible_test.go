package legible_test

import (
	"bytes"
	"strings"
	"testing"

	"portico/internal/legible"
)

// refused has a text for each kind of character that does not belong, and what Check says.
func refused() map[string]string {
	all := map[string]string{
		"a\nb": "a line break (U+000A)", "a\u0085b": "a line break (U+0085)", "a\u2028b": "a line break (U+2028)", "a\u2029b": "a line break (U+2029)",
		"a\tb": "an invisible character (U+0009)", "a\x00b": "invisible character (U+0000)", "a\x1bb": "an invisible character (U+001B)", "a\x7fb": "an invisible character (U+007F)", "a\u009bb": "an invisible character (U+009B)",
		"a\u00adb": "U+00AD", "a\u200bb": "U+200B", "a\u2060b": "U+2060", "\ufeffab": "U+FEFF", "a\u034fb": "U+034F", "a\u3164b": "U+3164", "a\U000e0041b": "U+E0041",
		"a\ue000b": "U+E000", "a\U0010ffffb": "U+10FFFF", "a\ufdd0b": "U+FDD0", "a\u0378b": "U+0378", "a\xffb": "U+FFFD", "a\xed\xa0\x80b": "U+FFFD", "a\ufffdb": "U+FFFD",
		"pay\u200dpal": "U+200D", "\u200dab": "U+200D", "e\u0301\u200d": "U+200D", "1\u200c": "U+200C", "علی\u200c\u200cرضا": "U+200C", "太\u200d郎": "U+200D",
		"\ufe0fab": "U+FE0F", "a\ufe0f\ufe0fb": "U+FE0F", "a \ufe0fb": "U+FE0F", "☺\ufe0f\U000e0101": "U+E0101",
	}
	for _, r := range "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c" {
		all["a"+string(r)+"b"] = "a character that changes the direction of text"
	}
	return all
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for text, want := range refused() {
		if err := legible.Check(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+q: %v, want %s", text, err, want)
		}
		if clean := legible.Clean(text); legible.Check(clean) != nil {
			t.Errorf("%+q is cleaned to %+q", text, clean)
		}
		shown := legible.Escape(text)
		if legible.Check(strings.ReplaceAll(shown, "\t", "")) != nil {
			t.Errorf("%+q is shown as %+q", text, shown)
		}
	}
	for _, text := range []string{
		"", "Mara Lind", "O’Hara-Łuk, Jr.", "山田 太郎", "辻\U000e0100", "Zoë", "مارا ليند", "מרה", "a\u00a0b", "e\u0301",
		"علی\u200cرضا", "می\u200cخواهم", "شَ\u200cب", "क्\u200dष", "র\u200d্যাব", "അനില്\u200d", "👩\u200d👩\u200d👧", "👩🏽\u200d🚀", "❤\ufe0f\u200d🔥", "☺\ufe0e",
	} {
		if err := legible.Check(text); err != nil {
			t.Errorf("%+q: %v", text, err)
		}
		if clean := legible.Clean(text); clean != strings.Join(strings.Fields(text), " ") || legible.Escape(text) != text {
			t.Errorf("%+q is cleaned to %+q, and shown as %q", text, clean, legible.Escape(text))
		}
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		" Mara\x00 \u202eLind\r\nX ": "Mara Lind X", "\xff": "", "a \u200b b": "a b", "a\u200d\u200db": "ab", "क्\u200b\u200dष": "क्ष",
	} {
		if got := legible.Clean(given); got != want {
			t.Errorf("%+q: %+q, want %+q", given, got, want)
		}
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`{"msg":"a` + "\u202e\u009b\U000e0041" + `é"}` + "\n": `{"msg":"a\u202e\u009b\udb40\udc41é"}` + "\n",
		`msg="a ~"` + "\n": `msg="a ~"` + "\n",
		"msg=a\x1b[2J\n":   `msg=a\u001b[2J` + "\n", "msg=a\x7f\n": `msg=a\u007f` + "\n", "msg=a\nb\n": `msg=a\u000ab` + "\n",
		"msg=a": "msg=a\n",
	} {
		var log bytes.Buffer
		if n, err := legible.Lines(&log).Write([]byte(line)); n != len(line) || err != nil {
			t.Errorf("%d, %v", n, err)
		}
		if log.String() != want {
			t.Errorf("%q, want %q", log.String(), want)
		}
	}
}

// Trim removes what people and editors leave at the ends, and nothing that somebody wrote.
func TestTrim(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"\ufeff a\u00a0b \r\n": "a\u00a0b", "\u200b\u200ea\u200f\u00ad": "a", "\u2067a\u2069": "a", "\u3000a\u202c": "a", "a\u0085": "a\u0085", "\u2028a": "\u2028a", "\u202ea": "\u202ea", "a\u202e": "a\u202e", "a\ufeff": "a", " \u200d\u200c ": "",
		"അനില്\u200d": "അനില്\u200d", "عَ\u200c": "عَ\u200c", "☺\ufe0f": "☺\ufe0f", "a\u200d": "a", "\u200da": "a", "a\u3164": "a",
		"a\x00": "a\x00", "\x1ba": "\x1ba", "a\ue000": "a\ue000", "a\xff": "a\xff", "": "",
	} {
		if got := legible.Trim(text); got != want {
			t.Errorf("%+q is %+q, want %+q", text, got, want)
		}
	}
}
