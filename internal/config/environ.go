package config

import (
	"cmp"
	"net/url"
	"sort"
	"strings"

	"portico/internal/egress"
	"portico/internal/legible"
	"portico/internal/origin"
)

const (
	envPrefix      = "PORTICO_"
	providerPrefix = envPrefix + "PROVIDERS_"

	// fromEnvironment is the source of a value.
	fromEnvironment = "environment"

	// envConfig names the file. It is not a setting.
	envConfig = envPrefix + "CONFIG"
)

// variables returns Portico's variables in alphabetical order. It skips the
// ones that a cluster sets: for a service named "portico", Kubernetes sets
// PORTICO_SERVICE_HOST, PORTICO_PORT_8080_TCP and so on.
func variables(environ []string) []entry {
	var entries []entry
	for _, line := range environ {
		name, text, _ := strings.Cut(line, "=")
		if !strings.HasPrefix(name, envPrefix) || name == envConfig || announcesService(name) {
			continue
		}
		entries = append(entries, entry{name, value{raw: text, env: true, source: fromEnvironment}})
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].name < entries[j].name })
	return entries
}

func announcesService(name string) bool {
	rest := strings.TrimPrefix(name, envPrefix)
	return rest == "PORT" || strings.HasPrefix(rest, "PORT_") || strings.HasPrefix(rest, "SERVICE_")
}

// lookUpEnv returns the value of a variable.
func lookUpEnv(environ []string, name string) string {
	for _, line := range environ {
		if text, ok := strings.CutPrefix(line, name+"="); ok {
			return text
		}
	}
	return ""
}

// proxy takes the proxy for requests to servers of others from the variables
// that all programs share.
func (l *loader) proxy(environ []string) {
	c := &l.config
	for _, name := range []string{"HTTPS_PROXY", "https_proxy"} {
		if c.HTTPSProxy = legible.Trim(lookUpEnv(environ, name)); c.HTTPSProxy == "" {
			continue
		}
		why, write := "", "write http://host:port or http://user:password@host:port"
		if _, err := egress.Proxy(c.HTTPSProxy, ""); err != nil {
			why = err.Error()
		}
		if u, err := url.Parse(c.HTTPSProxy); err != nil || cutShort(u) {
			if escapes := origin.Escapes(c.HTTPSProxy); escapes != "" {
				why, write = "a character of the user name or the password must be escaped", "write "+escapes
			}
		}
		if why != "" {
			l.problems = append(l.problems, Problem{Source: fromEnvironment, Key: name, Why: why, Write: write})
		}
		break
	}
	c.NoProxy = cmp.Or(lookUpEnv(environ, "NO_PROXY"), lookUpEnv(environ, "no_proxy"))
}

// providerOf returns the provider id in the name of a variable or key, such as
// PORTICO_PROVIDERS_MY_ID_CLIENT_SECRET_FILE or providers.my_id.name. It
// returns "" if there is no valid id.
func providerOf(name string) string {
	if rest, ok := strings.CutPrefix(name, providerPrefix); ok {
		best := ""
		for _, k := range withFiles(providerKeys("")) {
			field := strings.TrimPrefix(k.env(), providerPrefix)
			id, found := strings.CutSuffix(rest, field)
			if found && (best == "" || len(id) < len(best)) {
				best = strings.ToLower(id)
			}
		}
		return valid(best)
	}
	parts := strings.Split(name, ".")
	if len(parts) == 3 && parts[0] == "providers" {
		return valid(parts[1])
	}
	return ""
}

func valid(id string) string {
	if idForm.MatchString(id) {
		return id
	}
	return ""
}
