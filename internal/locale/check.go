package locale

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

var placeholder = regexp.MustCompile(`\{[a-z_]+\}`)

// Check compares every locale with the default one. It reports all additional keys,
// differing placeholders, empty texts and missing plural forms at once, or returns nil. A
// missing text falls back to the default locale, and fails only a release (tools/release).
func (c *Catalogue) Check() error {
	var errs []error
	for i, loc := range c.locales {
		for _, key := range slices.Sorted(maps.Keys(c.texts[loc])) {
			m := c.texts[loc][key]
			want, ok := c.texts[Default][key]
			if !ok {
				errs = append(errs, fmt.Errorf("%s: key %s is not in %s", loc, key, Default))
				continue
			}
			if err := compare(c.tags[i], m, want); err != nil {
				errs = append(errs, fmt.Errorf("%s: key %s: %w", loc, key, err))
			}
		}
	}
	return errors.Join(errs...)
}

func compare(tag language.Tag, m, want message) error {
	if (m.forms == nil) != (want.forms == nil) {
		return errors.New("plural in one locale, plain in the other")
	}
	if m.forms == nil {
		if strings.TrimSpace(m.plain) == "" {
			return errors.New("the text is empty")
		}
		return samePlaceholders(m.plain, want.plain)
	}
	for _, form := range needed(tag) {
		text, ok := m.forms[form]
		if !ok {
			return fmt.Errorf("the plural form %s is missing", formName(form))
		}
		// A form may say "one" in words in place of the number.
		if err := samePlaceholders(text+"{count}", want.forms[plural.Other]+"{count}"); err != nil {
			return fmt.Errorf("plural form %s: %w", formName(form), err)
		}
	}
	return nil
}

func samePlaceholders(text, want string) error {
	a, b := placeholdersOf(text), placeholdersOf(want)
	if !slices.Equal(a, b) {
		return fmt.Errorf("placeholders %v, want %v", a, b)
	}
	return nil
}

func placeholdersOf(text string) []string {
	found := placeholder.FindAllString(text, -1)
	slices.Sort(found)
	return slices.Compact(found)
}

// needed returns the plural forms of whole numbers in a language. CLDR rules
// for them look at the last two digits, so the numbers 0 to 199 show all forms.
func needed(tag language.Tag) []plural.Form {
	var found []plural.Form
	for n := range 200 {
		form := plural.Cardinal.MatchPlural(tag, n, 0, 0, 0, 0)
		if !slices.Contains(found, form) {
			found = append(found, form)
		}
	}
	return found
}

func formName(form plural.Form) string {
	for _, f := range forms {
		if f.form == form {
			return f.name
		}
	}
	return "unknown"
}
