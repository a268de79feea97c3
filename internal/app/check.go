package app

import (
	"strings"

	"portico/internal/config"
	"portico/internal/locale"
	"portico/web"
)

// Check returns what of a configuration this version cannot carry out, as
// config.Problems: what config itself cannot know. New refuses the same.
func Check(cfg config.Config) error {
	var ps config.Problems
	add := func(key, why, write string) {
		ps = append(ps, config.Problem{Source: cfg.Source(key), Key: key, Why: why, Write: write})
	}
	_, wrong := apps(cfg)
	ps = append(ps, wrong...)
	catalogue, err := locale.Load(web.Messages)
	if err != nil {
		return err
	}
	if _, ok := catalogue.WithDefault(cfg.Locale); !ok {
		add("locale", "there are no texts in "+cfg.Locale, "write one of: "+strings.Join(catalogue.Locales(), ", "))
	}
	if len(ps) > 0 {
		return ps
	}
	return nil
}
