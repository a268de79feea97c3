package app

import (
	"strings"

	"portico/internal/config"
	"portico/internal/federation"
	"portico/internal/store"
)

// Check returns settings that this version cannot use and that package config
// cannot judge alone. The error is of type config.Problems, unless the messages
// of the binary cannot be read. New calls it.
func Check(cfg config.Config) error {
	r := cfg.Report()
	_, wrong := Apps(cfg)
	for _, p := range append(wrong, rulesWithoutApp(cfg)...) {
		r.Add(p.Key, p.Why, p.Write)
	}
	_, wrong = clients(cfg)
	for _, p := range wrong {
		r.Add(p.Key, p.Why, p.Write)
	}
	for _, p := range providers(cfg) {
		for _, m := range federation.Check(p) {
			r.Add("providers."+m.ID+"."+m.Key, "it "+m.Why, m.Write, "providers."+m.ID+".preset", "providers."+m.ID+".private_key")
		}
	}
	checkBrand(cfg, r)
	checkPlaces(cfg, r)
	if err := store.CheckURL(cfg.DatabaseURL); err != nil {
		r.Add("database_url", err.Error(), "the parameters are in docs/operating/postgresql.md")
	}
	t, err := readTexts(cfg)
	if err != nil {
		return err
	}
	if _, ok := t.catalogue.WithDefault(cfg.Locale); !ok {
		r.Add("locale", "there are no texts in "+cfg.Locale, "write one of: "+strings.Join(t.catalogue.Locales(), ", "))
	}
	add(cfg, r, t.wrong)
	return r.Err()
}
