package screens

import (
	"errors"
	"regexp"
	"strings"

	"portico/internal/locale"
)

// A document of the build has a mark in place of each text (web/src/i18n/marks.ts):
//
//	markOpen key (markField name "=" value)* markClose
//
// A value is what stands for a placeholder: markup, actions of the template and
// further marks. anyLocale stands for the locale.
const (
	markOpen  = '\uE002'
	markField = '\uE003'
	markClose = '\uE004'
	anyLocale = `"zxx"`
)

var errMark = errors.New("a mark of a text is not complete")

// marked returns a document with the texts of a language in place of its marks.
func marked(built string, catalogue *locale.Catalogue, loc string) (string, error) {
	m := marks{catalogue: catalogue, locale: loc, rest: built}
	text, err := m.fill()
	if err != nil || m.rest != "" {
		return "", errors.Join(err, errMark)
	}
	direction := ""
	if locale.RightToLeft(loc) {
		direction = ` dir="rtl"`
	}
	text = strings.Replace(text, "<html>", `<html lang="`+loc+`"`+direction+`>`, 1)
	return strings.ReplaceAll(text, anyLocale, `"`+loc+`"`), nil
}

// marks replaces the marks of a document.
type marks struct {
	catalogue *locale.Catalogue
	locale    string
	rest      string // what is not read yet
}

// fill returns the text up to the end of the value that begins here, or to the end
// of the document.
func (m *marks) fill() (string, error) {
	var out strings.Builder
	for {
		at := strings.IndexAny(m.rest, string([]rune{markOpen, markField, markClose}))
		if at < 0 {
			out.WriteString(m.rest)
			m.rest = ""
			return out.String(), nil
		}
		out.WriteString(m.rest[:at])
		m.rest = m.rest[at:]
		if !strings.HasPrefix(m.rest, string(markOpen)) {
			return out.String(), nil
		}
		text, err := m.one()
		if err != nil {
			return "", err
		}
		out.WriteString(text)
	}
}

// one returns the text in place of the mark that begins here.
func (m *marks) one() (string, error) {
	m.rest = strings.TrimPrefix(m.rest, string(markOpen))
	key, err := m.fill()
	if err != nil {
		return "", err
	}
	values := map[string]string{}
	for strings.HasPrefix(m.rest, string(markField)) {
		name, rest, found := strings.Cut(strings.TrimPrefix(m.rest, string(markField)), "=")
		if !found {
			return "", errMark
		}
		m.rest = rest
		if values[name], err = m.fill(); err != nil {
			return "", err
		}
	}
	if !strings.HasPrefix(m.rest, string(markClose)) {
		return "", errMark
	}
	m.rest = strings.TrimPrefix(m.rest, string(markClose))
	return m.text(key, values), nil
}

var placeholder = regexp.MustCompile(`\{\w+\}`)

// text returns a text as HTML with the values of its placeholders, which are
// HTML already.
func (m *marks) text(key string, values map[string]string) string {
	pattern := m.catalogue.Pattern(m.locale, key, values["count"])
	var out strings.Builder
	end := 0
	for _, at := range placeholder.FindAllStringIndex(pattern, -1) {
		value, known := values[pattern[at[0]+1:at[1]-1]]
		if !known {
			continue
		}
		out.WriteString(escape(pattern[end:at[0]]))
		out.WriteString(m.placed(value))
		end = at[1]
	}
	out.WriteString(escape(pattern[end:]))
	return out.String()
}

// placed returns a value for the direction of the locale. The build isolates each
// value that needs it in a text from right to left (UAX 9).
func (m *marks) placed(value string) string {
	inner, isolated := strings.CutPrefix(value, "\u2068")
	if isolated && !locale.RightToLeft(m.locale) {
		return strings.TrimSuffix(inner, "\u2069")
	}
	return value
}

// escape writes text as HTML, as React does for texts and attributes. A brace is
// escaped too, so that no text becomes an action of the template.
func escape(text string) string { return escaper.Replace(text) }

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#x27;", "{", "&#123;")
