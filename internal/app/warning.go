package app

import (
	"fmt"
	"strings"

	"portico/internal/clock"
	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/rule"
)

// Warnings returns what the settings and the operator's texts may contain, but probably do
// not intend.
func Warnings(cfg config.Config) config.Problems {
	r := cfg.Report()
	strangers(cfg, r)
	warnOfLegacy(cfg, r, clock.System{}.Now())
	if t, err := readTexts(cfg); err == nil {
		add(cfg, r, t.doubtful)
	}
	return append(cfg.Warnings(), r.Problems()...)
}

// Warn logs the warnings about the settings with which the App serves.
func (a *App) Warn() {
	for _, p := range Warnings(a.live.Load().config) {
		a.log.Warn(p.Key+": "+p.Why+": "+p.Write, "source", p.Source)
	}
}

// strangers adds a warning for each app and each OpenID client that strangers
// reach by signing up. The domains of signup.domains are not those of strangers.
func strangers(cfg config.Config, r *config.Report) {
	if flow.SignUpMode(cfg.SignUp.Mode) != flow.ModeOpen || len(cfg.SignUp.Domains) > 0 {
		return
	}
	if cfg.App.Upstream != nil {
		warnIfOpen(r, "upstream", "rules", "the app at "+cfg.App.Upstream.Host, cfg.App.Rules)
	}
	for _, a := range cfg.Apps {
		warnIfOpen(r, a.Key, a.Setting("rules", -1), "the app "+a.Name, a.Rules)
	}
	for _, c := range cfg.Clients {
		if c.SignsIn() || c.Device() {
			warnIfOpen(r, c.Key, c.Key+".rules", "the OpenID client "+c.ID, c.Rules)
		}
	}
}

// warnIfOpen adds a warning if the rules of an app let every user in. It names all such
// rules, at the place of the first one. An app without rules lets every user in, and
// the warning is at the place of the app.
func warnIfOpen(r *config.Report, app, list, name string, rules []string) {
	key, which := "", []string{}
	for i, line := range rules {
		if !rule.AnyUser(line) {
			continue
		}
		if which = append(which, line); key == "" {
			key = fmt.Sprintf("%s.%d", list, i+1)
		}
	}
	why := "(" + strings.Join(which, ", ") + ")"
	switch {
	case len(rules) == 0:
		key, why = app, "it has no rules, and"
	case key == "":
		return
	}
	r.Add(key, why+" sign-up is open, so a stranger with an email address gets into "+name,
		`write signup.mode = "closed", or a rule with a role, such as role:member`, list, "signup.mode")
}
