package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"portico/internal/locale"
	"portico/web"
)

type textsCmd struct {
	Locale string `arg:"" help:"The language: en, de ..."`
	Prefix string `arg:"" optional:"" help:"Print only the keys with this prefix, such as 'mail.' or 'signin.'."`
}

func (textsCmd) Help() string {
	return `Example:
  portico texts en signin. > texts/en.json

Prints Portico's texts of pages and emails with their keys, as JSON. Keep the keys that you change in texts/<language>.json next to the file of settings, and remove the others: those then improve with each version. 'portico config check' checks the file.`
}

// Run prints the texts of the binary. It needs no settings.
func (c textsCmd) Run(s *session) error {
	catalogue, err := locale.Load(web.Messages)
	if err != nil {
		return err
	}
	if err := oneOf("language", c.Locale, catalogue.Locales()); err != nil {
		return err
	}
	keys := slices.DeleteFunc(catalogue.Keys(), func(key string) bool { return !strings.HasPrefix(key, c.Prefix) })
	if len(keys) == 0 {
		return fmt.Errorf("%w: no key begins with %s: 'portico texts %s' prints all", errUsage, c.Prefix, c.Locale)
	}
	text, err := catalogue.JSON(c.Locale, keys)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", "  "); err != nil {
		return err
	}
	return s.print(false, nil, strings.Split(out.String(), "\n")...)
}
