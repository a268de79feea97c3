package config

import (
	"fmt"
	"strings"
)

// table is a provider, an app or an OpenID client with its settings, or all other settings.
type table struct {
	name   string // client "wiki"; "" for the other settings
	prefix string // of its keys: "client.2."
	keys   []key
}

// called returns the name of a setting of the table in reports: client "wiki": secret.
func (t table) called(k key) string {
	if t.name == "" {
		return k.name
	}
	return t.name + ": " + strings.TrimPrefix(k.name, t.prefix)
}

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
	return all
}
