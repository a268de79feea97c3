package config

import (
	"fmt"
	"strings"
)

// table is a provider, an app, an OpenID client or a webhook with its settings, or all other settings.
type table struct {
	name   string // client "wiki"; "" for the other settings
	prefix string // of its keys: "client.2."
	keys   []key
}

// theTable is the value of a table itself in values. No setting has it.
const theTable = ""

// values returns the tables and their settings by the names that reports use: client "wiki": secret.
// It has values that are not shown whole as unkeyed digests.
func (c *Config) values() map[string]string {
	values := map[string]string{}
	for _, t := range c.tables() {
		values[t.name] = theTable
		for _, k := range t.keys {
			name, value := k.name, k.get(c)
			if t.name != "" {
				name = t.name + ": " + strings.TrimPrefix(name, t.prefix)
			}
			if k.digest != nil && value != notSet {
				value = k.digest(c)
			}
			values[name] = value
		}
	}
	return values
}

// notSet is the value of a text that is not set.
const notSet = `""`

// ProviderIcon returns the name of a provider's icon in reports.
func ProviderIcon(id string) string { return fmt.Sprintf("provider %q: icon", id) }

// tables returns all settings, those outside of tables first.
func (c *Config) tables() []table {
	all := []table{{keys: keys()}}
	for _, p := range c.Providers {
		all = append(all, table{fmt.Sprintf("provider %q", p.ID), "providers." + p.ID + ".", providerKeys(p.ID)})
	}
	for i, a := range c.Apps {
		all = append(all, table{fmt.Sprintf("app %q", a.Name), appKey(i+1) + ".", tableKeys(appArray, i+1)})
	}
	for i, client := range c.Clients {
		all = append(all, table{fmt.Sprintf("client %q", client.ID), clientKey(i+1) + ".", tableKeys(clientArray, i+1)})
	}
	for i, hook := range c.Webhooks {
		all = append(all, table{fmt.Sprintf("webhook %q", hook.Name), hookKey(i+1) + ".", tableKeys(hookArray, i+1)})
	}
	return all
}
