package locale

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"

	"portico/internal/legible"
)

// Default is the locale for a visitor whose languages are not available. Every
// other locale is checked against its keys.
const Default = "en"

// acceptLimit bounds the Accept-Language header that is parsed, in bytes. A
// browser with a dozen languages sends about 150.
const acceptLimit = 512

// maxTags bounds the languages of which First looks for one.
const maxTags = 20

// Catalogue holds the texts of every locale. It is safe for concurrent use.
type Catalogue struct {
	locales []string // Default first, then alphabetical
	tags    []language.Tag
	texts   map[string]map[string]message
	matcher language.Matcher
	matched *matches

	fallback string // what Match returns when no language fits
}

// message is one text: plain, or by plural form.
type message struct {
	plain string
	forms map[plural.Form]string // nil for a plain text
}

var errNoMessage = errors.New("it is neither a text nor an object of plural forms")

type pluralForm struct {
	name string
	form plural.Form
}

var forms = [...]pluralForm{
	{"zero", plural.Zero}, {"one", plural.One}, {"two", plural.Two},
	{"few", plural.Few}, {"many", plural.Many}, {"other", plural.Other},
}

// Load reads every <locale>.json at the root of fsys. It fails when a file is
// malformed, a name is not a BCP 47 language tag, or the default locale is
// missing. Check compares the locales.
func Load(fsys fs.FS) (*Catalogue, error) {
	files, err := fs.Glob(fsys, "*.json")
	if err != nil {
		return nil, fmt.Errorf("list the message files: %w", err)
	}
	c := &Catalogue{texts: make(map[string]map[string]message), matched: newMatches(), fallback: Default}
	for _, file := range files {
		name := strings.TrimSuffix(path.Base(file), ".json")
		if _, err := language.Parse(name); err != nil {
			return nil, fmt.Errorf("message file %s: the name is not a language tag such as en or pt-BR: %w", file, err)
		}
		data, err := fs.ReadFile(fsys, file)
		if err != nil {
			return nil, fmt.Errorf("read the message file %s: %w", file, err)
		}
		if c.texts[name], err = parse(data); err != nil {
			return nil, fmt.Errorf("message file %s: %w", file, err)
		}
		c.locales = append(c.locales, name)
	}
	at := slices.Index(c.locales, Default)
	if at < 0 {
		return nil, errors.New("the message file " + Default + ".json is missing: it is the default locale")
	}
	c.locales = slices.Insert(slices.Delete(c.locales, at, at+1), 0, Default)
	for _, name := range c.locales {
		c.tags = append(c.tags, language.Make(name))
	}
	c.matcher = language.NewMatcher(c.tags)
	return c, nil
}

// WithDefault returns the catalogue with another locale for visitors whose
// languages are not available. It reports false for an unknown locale.
func (c *Catalogue) WithDefault(loc string) (*Catalogue, bool) {
	at := slices.Index(c.locales, loc)
	if at < 0 {
		return c, false
	}
	other := *c
	other.fallback, other.matched = loc, newMatches()
	return &other, true
}

// parse reads one catalogue file.
func parse(data []byte) (map[string]message, error) {
	var raw map[string]any
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, err
	}
	texts := make(map[string]message, len(raw))
	for key, value := range raw {
		m, err := parseMessage(value)
		if err != nil {
			return nil, fmt.Errorf("key %s: %w", key, err)
		}
		texts[key] = m
	}
	return texts, nil
}

// parseMessage reads the value of a key.
func parseMessage(value any) (m message, err error) {
	if plain, ok := value.(string); ok {
		return message{plain: trimmed(plain)}, nil
	}
	byName, ok := value.(map[string]any)
	if !ok {
		return m, errNoMessage
	}
	m.forms = make(map[plural.Form]string, len(byName))
	for name, text := range byName {
		at := slices.IndexFunc(forms[:], func(f pluralForm) bool { return f.name == name })
		if at < 0 {
			return m, fmt.Errorf("%q is not a plural form; use zero, one, two, few, many or other", name)
		}
		form, ok := text.(string)
		if !ok {
			return m, errNoMessage
		}
		m.forms[forms[at].form] = trimmed(form)
	}
	if _, ok := m.forms[plural.Other]; !ok {
		return m, errors.New("the plural form other is missing")
	}
	return m, nil
}

// trimmed returns a text without what editors leave at its ends. An isolate that ends there keeps its other end.
func trimmed(text string) string {
	of := func(s string) int {
		return strings.Count(s, "\u2069") - (strings.Count(s, "\u2066") + strings.Count(s, "\u2067") + strings.Count(s, "\u2068"))
	}
	if t := legible.Trim(text); of(t) == of(text) {
		return t
	}
	return strings.TrimSpace(text)
}

// Locales returns the names of the locales, the default one first.
func (c *Catalogue) Locales() []string { return slices.Clone(c.locales) }

// Match returns the locale that fits an Accept-Language header best (RFC 9110
// 12.5.4). It returns the default one when none fits or the header is
// malformed.
func (c *Catalogue) Match(acceptLanguage string) string {
	if len(acceptLanguage) > acceptLimit {
		return c.fallback
	}
	return c.matched.get(acceptLanguage, c.match)
}

func (c *Catalogue) match(acceptLanguage string) string {
	wanted, _, err := language.ParseAcceptLanguage(acceptLanguage)
	if err != nil {
		return c.fallback
	}
	_, at, confidence := c.matcher.Match(wanted...)
	if confidence == language.No {
		return c.fallback
	}
	return c.locales[at]
}

// First returns the locale that fits the first of some language tags (BCP 47) for which
// there is one, or false.
func (c *Catalogue) First(tags []string) (string, bool) {
	for _, text := range tags[:min(len(tags), maxTags)] {
		tag, err := language.Parse(text)
		if err != nil {
			continue
		}
		if _, at, confidence := c.matcher.Match(tag); confidence > language.Low {
			return c.locales[at], true
		}
	}
	return "", false
}

// Text returns the text of key in the locale, with params in place of its
// {name} placeholders. The parameter count selects the plural form. A
// placeholder without a parameter stays as it is. For an unknown locale it uses
// Default; for an unknown key it returns the key.
func (c *Catalogue) Text(loc, key string, params map[string]string) string {
	return c.TextOr(loc, key, key, params)
}

// TextOr is Text for a key that ends in a value of the database. A later version that
// runs alongside this one may have stored a value that has no text here. TextOr then
// returns the text of the key other, or other itself if it is not a key.
func (c *Catalogue) TextOr(loc, key, other string, params map[string]string) string {
	at := max(0, slices.Index(c.locales, loc))
	m, ok := c.texts[c.locales[at]][key]
	if !ok {
		at = 0
		m, ok = c.texts[Default][key]
	}
	switch {
	case !ok && other == key:
		return key
	case !ok:
		return c.Text(loc, other, params)
	}
	text := m.choose(c.tags[at], params["count"])
	if len(params) > 0 && RightToLeft(c.locales[at]) {
		params = isolated(params)
	}
	return fill(text, params)
}

// choose returns the text for a count.
func (m message) choose(tag language.Tag, count string) string {
	if m.forms == nil {
		return m.plain
	}
	if n, err := strconv.Atoi(count); err == nil {
		if text, ok := m.forms[plural.Cardinal.MatchPlural(tag, max(n, -n), 0, 0, 0, 0)]; ok {
			return text
		}
	}
	return m.forms[plural.Other]
}

// fill replaces placeholders in one pass from left to right, so that a value
// which looks like a placeholder stays text.
func fill(text string, params map[string]string) string {
	if !strings.Contains(text, "{") {
		return text
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		name, after, closed := strings.Cut(rest, "}")
		value, known := params[name]
		if !closed || !known {
			b.WriteByte('{')
			text = rest
			continue
		}
		b.WriteString(value)
		text = after
	}
}

// Of returns the language that the catalogue has of a tag, such as de of de_AT, or "".
func (c *Catalogue) Of(tag string) string {
	if tag == "" {
		return ""
	}
	found, _ := c.First([]string{tag})
	return found
}
