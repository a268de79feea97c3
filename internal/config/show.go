package config

import (
	"fmt"
	"slices"
	"strings"

	"portico/internal/pages"
)

// Entry is one setting as it is in effect.
type Entry struct {
	Key    string `json:"key"`
	Env    string `json:"env"`
	Value  string `json:"value"`  // as TOML, secrets hidden
	Source string `json:"source"` // "portico.toml:12", "environment" or "default"
}

// Entries returns every setting with its value and the source of it.
func (c *Config) Entries() []Entry {
	all := c.keys()
	entries := make([]Entry, len(all))
	for i, k := range all {
		source, set := c.sources[k.name]
		if !set {
			source = "default"
		}
		entries[i] = Entry{Key: k.name, Env: k.env(), Value: k.get(c), Source: source}
	}
	return entries
}

// keys returns every setting, including settings of providers, apps and OpenID
// clients.
func (c *Config) keys() (all []key) {
	for _, t := range c.tables() {
		all = append(all, t.keys...)
	}
	return all
}

// IsSet reports whether the file or the environment gives the setting.
func (c *Config) IsSet(key string) bool {
	_, set := c.sources[key]
	return set
}

// Show returns the settings as a TOML file with the source of each value. It
// can be loaded again, except for the secrets.
func (c *Config) Show() string {
	var b strings.Builder
	table := ""
	for _, e := range c.Entries() {
		name := e.Key
		if at := strings.LastIndexByte(name, '.'); at >= 0 {
			if name[:at] != table {
				table = name[:at]
				header := "[" + table + "]"
				if array, _, ok := tableOf(table); ok {
					header = "[[" + array + "]]"
				}
				fmt.Fprintf(&b, "\n%s\n", header)
			}
			name = name[at+1:]
		}
		fmt.Fprintf(&b, "%s = %s # %s\n", name, e.Value, e.Source)
	}
	return b.String()
}

// Block returns the settings of an app or of an OpenID client that are set, to be pasted into a
// file: its table, and the settings that key names at the top of the file. Secrets are hidden.
func (c *Config) Block(keys []string) string {
	var b strings.Builder
	for _, e := range c.Entries() {
		array, _, inTable := tableOf(e.Key)
		at := strings.LastIndexByte(e.Key, '.')
		if e.Source == "default" || !slices.Contains(keys, e.Key) && (!inTable || !slices.Contains(keys, e.Key[:at])) {
			continue
		}
		if inTable && b.Len() == 0 {
			fmt.Fprintf(&b, "[[%s]]\n", array)
		}
		name := e.Key
		if inTable {
			name = name[at+1:]
		}
		fmt.Fprintf(&b, "%s = %s\n", name, e.Value)
	}
	return b.String()
}

// Document returns the reference of all settings in Markdown.
func Document() string {
	var b strings.Builder
	b.WriteString(`# Configuration

<!-- Made from internal/config: change the texts there, then run go test ./internal/config -update. -->

Portico reads one file: the one that ` + "`--config`" + ` or ` + "`PORTICO_CONFIG`" + ` names, or ` + "`portico.toml`" + ` in the folder in which
it is started, or ` + "`/etc/portico/portico.toml`" + `, where the Debian package puts it. Every key is also an environment variable, and the environment takes precedence. An empty value
counts as not set, and so does a setting without a default. A secret can also be read from a file: add ` + "`_file`" + ` (` + "`_FILE`" + `) to the name of its setting.
Relative paths start at the folder in which Portico is started. In the environment, separate the items of a list with commas.
Spaces, byte order marks and invisible characters at the ends of a value or of a file are removed. Elsewhere, invisible characters are refused.
A host may contain umlauts: Portico uses its ` + "`xn--`" + ` form.

` + "`portico config check`" + ` lists everything that is wrong, with its line. ` + "`portico serve`" + ` refuses the same settings before it
creates a file. ` + "`portico config show`" + ` prints the settings in effect and their sources, without secrets. Both ` + "`portico config check` and `portico doctor`" + ` warn when every user
of the machine can read a file that holds a secret, unless it is below ` + "`/run/secrets`" + `. Both say how many passkeys stop working when
you change the host of ` + "`public_url`" + `, if they can read the database.
`)
	c := Default()
	ofApp := appKeys("", rootApp)
	for _, k := range keys() {
		if !slices.ContainsFunc(ofApp, func(a key) bool { return a.name == k.name }) {
			describe(&b, k, k.get(&c))
		}
	}
	b.WriteString(`
## Providers

Each external identity provider has its own table. The name of the table is the id in the provider's URLs: lower-case letters,
digits and ` + "`_`" + `. Register the redirect address ` + "`<public_url>" + pages.ProviderCallback("<id>") + "`" + ` with the provider.
`)
	for _, k := range providerKeys("<id>") {
		describe(&b, k, "")
	}
	b.WriteString(`
## Apps

The settings of an app behind Portico. A single app has them at the top of the file or in the environment. It receives every path of
` + "`public_url` except `/auth/...`" + `. Several apps are tables ` + "`[[app]]`" + ` in the file, with the same settings, a name, and a host or a path. The
environment does not have tables, because numbered variables for apps and rules would be hard to read: give a container the file
(` + "`--config`, or `PORTICO_CONFIG`" + `) and keep the differing settings, above all secrets, in the environment, which overrides the file.
Without an app, Portico serves only its own pages. See [in front of an app](../integrating/README.md).

` + "```toml" + `
[[app]]
name     = "shop"
path     = "/shop"                    # or host = "shop.example.com"
upstream = "http://127.0.0.1:3000"
rules    = ["public GET /shop/static/*", "role:admin+fresh:10m /shop/admin/*", "signed-in /shop/*"]
headers  = ["Remote-User: email", "Remote-Groups: roles"]
` + "```" + `
`)
	for _, k := range placeKeys(appArray+".", func(c *Config) *App { return c.app(1) }) {
		describe(&b, k, k.get(&c))
	}
	for _, k := range ofApp {
		describe(&b, k, k.get(&c))
	}
	b.WriteString(`
## OpenID clients

Each app that signs its users in by OpenID Connect is a table ` + "`[[client]]`" + ` in the file. These settings are not in the
environment. See [OpenID clients](clients.md).

` + "```toml" + `
[[client]]
id            = "miniflux"
secret_file   = "/etc/portico/miniflux.secret"
redirect_uris = ["https://feeds.example.com/oauth2/oidc/callback"]
` + "```" + `
`)
	for _, k := range clientKeys(1) {
		k.name = clientArray + strings.TrimPrefix(k.name, clientKey(1))
		describe(&b, k, k.get(&c))
	}
	b.WriteString(`
## Webhooks

Each receiver of [events about accounts](../integrating/webhooks.md) is a table ` + "`[[webhook]]`" + ` in the file. These settings are not in the
environment.

` + "```toml" + `
[[webhook]]
name        = "shop"
url         = "https://shop.example.com/portico-events"
events      = ["account.created", "account.deleted"]
secret_file = "/etc/portico/shop.webhook"
` + "```" + `
`)
	for _, k := range hookKeys(1) {
		k.name = hookArray + strings.TrimPrefix(k.name, hookKey(1))
		describe(&b, k, k.get(&c))
	}
	return b.String()
}

// describe writes the section of a key. An empty value is no default.
func describe(b *strings.Builder, k key, value string) {
	switch value {
	case "", `""`, "[]":
		value = ""
	default:
		value = ", default `" + value + "`"
	}
	env := k.env()
	if env != "" {
		env = "`" + env + "`, "
	}
	fmt.Fprintf(b, "\n### `%s`\n\n%s%s%s.\n\n%s\n", k.name, env, k.kind, value, k.about)
}
