package app

import (
	"strings"

	"portico/internal/config"
	"portico/internal/federation"
	"portico/internal/locale"
	"portico/web"
)

// Check returns what of a configuration this version cannot carry out, as
// config.Problems: what config itself cannot know. New refuses the same.
func Check(cfg config.Config) error {
	r := cfg.Report()
	_, wrong := apps(cfg)
	for _, p := range wrong {
		r.Add(p.Key, p.Why, p.Write)
	}
	for _, p := range providers(cfg) {
		for _, m := range federation.Check(p) {
			r.Add("providers."+m.ID+"."+m.Key, "it "+m.Why, m.Write, "providers."+m.ID+".preset", "providers."+m.ID+".private_key")
		}
	}
	catalogue, err := locale.Load(web.Messages)
	if err != nil {
		return err
	}
	if _, ok := catalogue.WithDefault(cfg.Locale); !ok {
		r.Add("locale", "there are no texts in "+cfg.Locale, "write one of: "+strings.Join(catalogue.Locales(), ", "))
	}
	return r.Err()
}
