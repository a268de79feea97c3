package app

import (
	"slices"

	"portico/internal/config"
	"portico/internal/rule"
	"portico/internal/server/admin"
)

// Refusing returns the rules that refuse a user with these roles, never nil. An OpenID client
// refuses whom none of its rules admits.
func Refusing(cfg config.Config, roles []string) []admin.AdminRefusal {
	list := []admin.AdminRefusal{}
	lacks := func(line string) bool { return rule.LacksRole(line, roles) }
	for _, a := range cfg.Served() {
		of := "app " + a.Name
		if a.Key == "" {
			of = "the app" // of the top of the file, whose name nobody has given
		}
		for i, line := range a.Rules {
			if lacks(line) {
				list = append(list, admin.AdminRefusal{Of: of, Rule: line, Source: cfg.Source(a.Setting("rules", i))})
			}
		}
	}
	for _, c := range cfg.Clients {
		if slices.ContainsFunc(c.Rules, func(line string) bool { return !lacks(line) }) {
			continue
		}
		for _, line := range c.Rules {
			list = append(list, admin.AdminRefusal{Of: "client " + c.ID, Rule: line, Source: cfg.Source(c.Key + ".rules")})
		}
	}
	return list
}
