// Package legible owns which characters a text of one line may have: a name, a setting, a
// line of a log. It refuses, removes or escapes what people do not see, and what moves or
// hides the characters around it. Trim is the one cleaning of text that people type or paste
// and that editors save: a file, a setting, an address, a name.
//
// Invariants:
//   - No controls, line breaks and marks of direction. No private, unassigned and replaced
//     characters, and none that has no width.
//   - A joiner stays where writing needs it: in Persian, in the scripts of India and in emoji.
//     So does one variation selector behind a character.
//
// It does not know whose text it is, and it does not limit its length.
package legible

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	nonJoiner = '\u200c'
	joiner    = '\u200d'
)

// Check returns nil, or an error that names the first character that does not belong.
func Check(s string) error {
	for r, fits := range runes(s) {
		switch {
		case fits:
		case strings.ContainsRune("\n\r\u0085\u2028\u2029", r):
			return fmt.Errorf("a line break (%U)", r)
		case unicode.Is(unicode.Bidi_Control, r):
			return fmt.Errorf("a character that changes the direction of text (%U)", r)
		default:
			return fmt.Errorf("an invisible character (%U)", r)
		}
	}
	return nil
}

// Clean returns a text that comes from elsewhere, such as a name that a provider gives: without
// the characters that Check refuses, and with single blanks.
func Clean(s string) string {
	var b strings.Builder
	for r, fits := range runes(strings.Join(strings.Fields(s), " ")) {
		if fits {
			b.WriteRune(r)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// Trim returns a text without what people and editors leave at its ends: blanks, line
// breaks, byte order marks, characters without a width, marks of direction.
func Trim(s string) string {
	s = strings.TrimLeftFunc(s, unseen)
	for s != "" {
		last, size := utf8.DecodeLastRuneInString(s)
		rest := s[:len(s)-size]
		before, _ := utf8.DecodeLastRuneInString(rest)
		if !unseen(last) || (last == joiner || last == nonJoiner) && joins(before) {
			break
		}
		s = rest
	}
	return s
}

// unseen reports whether a character comes to the end of a text by a paste or by an editor. Other controls, other
// line breaks and the override from right to left do not, so Check refuses them there too.
func unseen(r rune) bool {
	if strings.ContainsRune("\u0085\u2028\u2029\u202e", r) {
		return false
	}
	return unicode.IsSpace(r) || unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point)
}

// Unmark returns the content of a file without the byte order mark that some editors write first.
func Unmark(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\ufeff")) }

// Escape writes the characters that Check refuses as JSON does, for terminals and logs. A
// tabulator stays.
func Escape(s string) string {
	var b strings.Builder
	for r, fits := range runes(s) { // invalid UTF-8 becomes U+FFFD
		switch {
		case fits, r == '\t':
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// Lines returns a writer for a log. Each call writes one line, and Escape leaves nothing in
// it that a terminal would obey.
func Lines(w io.Writer) io.Writer { return lines{w} }

type lines struct{ io.Writer }

func (l lines) Write(line []byte) (int, error) {
	if before, ok := bytes.CutSuffix(line, []byte("\n")); ok && !slices.ContainsFunc(before, special) {
		return l.Writer.Write(line) // nearly every line: it costs no copy
	}
	text := strings.TrimSuffix(string(line), "\n")
	if _, err := io.WriteString(l.Writer, Escape(text)+"\n"); err != nil {
		return 0, err
	}
	return len(line), nil
}

// special reports whether a byte is not a printable character of ASCII.
func special(c byte) bool { return c < ' ' || c > '~' }

// runes yields each character, and whether it belongs where it stands.
func runes(s string) iter.Seq2[rune, bool] {
	return func(yield func(rune, bool) bool) {
		var before rune
		for _, r := range s {
			if !yield(r, fits(before, r)) {
				return
			}
			before = r
		}
	}
}

func fits(before, r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return r >= ' ' && r != '\x7f'
	case r == nonJoiner, r == joiner:
		return joins(before)
	case unicode.Is(unicode.Variation_Selector, r):
		return before > ' ' && fits(0, before)
	case r == utf8.RuneError, unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
		return false
	}
	return unicode.IsGraphic(r)
}

// joins reports whether a joiner may stand behind a character. The scripts that are named here
// join no letters, so a joiner in them is only a way to write a known name once more.
func joins(r rune) bool {
	switch {
	case 0x600 <= r && r <= 0x6ff: // the vowel signs of Arabic belong to no script
		return unicode.IsGraphic(r)
	case unicode.In(r, unicode.L, unicode.M) && !unicode.Is(unicode.Variation_Selector, r):
		return !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Armenian, unicode.Georgian, unicode.Hebrew,
			unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana, unicode.Common, unicode.Inherited)
	}
	return unicode.In(r, unicode.So, unicode.Variation_Selector) || 0x1f3fb <= r && r <= 0x1f3ff // skin tones
}
