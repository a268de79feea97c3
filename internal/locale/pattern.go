package locale

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Same reports whether both catalogues have the same texts.
func (c *Catalogue) Same(other *Catalogue) bool { return reflect.DeepEqual(c.texts, other.texts) }

// Keys returns the keys of all texts, in order.
func (c *Catalogue) Keys() []string {
	return slices.Sorted(maps.Keys(c.texts[Default]))
}

// JSON returns texts of a locale as in a catalogue file. It escapes no characters
// of HTML.
func (c *Catalogue) JSON(loc string, keys []string) ([]byte, error) {
	var b strings.Builder
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	chosen := make(map[string]any, len(keys))
	for _, key := range keys {
		chosen[key] = c.message(loc, key).value()
	}
	err := out.Encode(chosen)
	return []byte(strings.TrimSuffix(b.String(), "\n")), err
}

// Pattern returns the text of key in the locale with its placeholders. The count
// selects the plural form; without a number it is the form "other".
func (c *Catalogue) Pattern(loc, key, count string) string {
	at := max(0, slices.Index(c.locales, loc))
	return c.message(c.locales[at], key).choose(c.tags[at], count)
}

// message returns the message of a key, or of the default locale if this one has
// none.
func (c *Catalogue) message(loc, key string) message {
	m, ok := c.texts[loc][key]
	if !ok {
		m = c.texts[Default][key]
	}
	return m
}

// value returns the message as a catalogue file has it.
func (m message) value() any {
	if m.forms == nil {
		return m.plain
	}
	byName := map[string]string{}
	for form, text := range m.forms {
		byName[formName(form)] = text
	}
	return byName
}
