package app

import (
	"fmt"
	"strings"

	"portico/internal/config"
	"portico/internal/federation"
	"portico/internal/locale"
	"portico/internal/store"
	"portico/web"
)

// Warnings returns settings that are allowed and probably not intended. It adds
// rules that refuse everyone to the warnings of package config.
func Warnings(cfg config.Config) config.Problems {
	all := cfg.Warnings()
	list, _ := sites(cfg) // Check reports their problems
	served := cfg.Served()
	if len(list) < len(served) {
		return all
	}
	for i, site := range list {
		for n, r := range site.Rules.All() {
			if !r.Need.MFA {
				continue
			}
			key := served[i].Setting("rules", n)
			all = append(all, config.Problem{
				Source: cfg.Source(key), Key: key, Why: fmt.Sprintf("(%s) no second factor can be set up in this version: it lets nobody in", r),
				Write: "remove mfa; role:NAME and fresh:10m can be asked for",
			})
		}
	}
	return all
}

// Check returns settings that this version cannot use and that package config
// cannot judge alone. The error is of type config.Problems, unless the messages
// of the binary cannot be read. New calls it.
func Check(cfg config.Config) error {
	r := cfg.Report()
	_, wrong := Apps(cfg)
	for _, p := range wrong {
		r.Add(p.Key, p.Why, p.Write)
	}
	for _, p := range providers(cfg) {
		for _, m := range federation.Check(p) {
			r.Add("providers."+m.ID+"."+m.Key, "it "+m.Why, m.Write, "providers."+m.ID+".preset", "providers."+m.ID+".private_key")
		}
	}
	if err := store.CheckURL(cfg.DatabaseURL); err != nil {
		r.Add("database_url", err.Error(), "the parameters are in docs/operating/postgresql.md")
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
