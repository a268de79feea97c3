package config

import (
	"strconv"
	"strings"
)

// RoleMapping is a value of a provider's claim, and the role that it gives.
type RoleMapping struct{ Value, Role string }

// rolesTable is the name of the only setting that is a table of its own: its keys are chosen by
// the operator, and readTOML makes texts of them, as in the environment.
const rolesTable = "roles"

// mapped reports whether a path of the file is a key in such a table.
func mapped(path []string) bool {
	return len(path) == 4 && path[0] == "providers" && path[2] == rolesTable
}

const mostMappings = 100

// rolesKey is the setting by which a provider gives roles.
func rolesKey(name string, at func(*Config) *[]RoleMapping) key {
	k := list(name, at, parseMapping, RoleMapping.text,
		"The roles that the values of this claim give: `roles = { \"staff\" = \"role:staff\" }`. Each sign-in through the provider gives and takes exactly these roles, and roles that are given by hand stay. In the environment: `staff=role:staff`. See [Providers](../integrating/providers.md#roles).")
	set := k.set
	k.set = func(c *Config, v value) mistakes {
		texts, ok := v.texts()
		switch {
		case !ok:
			return only(&mistake{"the value is not a table of texts", `write { "staff" = "role:staff" }`})
		case len(texts) > mostMappings:
			return only(&mistake{"the table has more than " + strconv.Itoa(mostMappings) + " values", "let the provider put the roles into a claim of their own"})
		}
		return set(c, v)
	}
	k.kind = "table"
	k.get = func(c *Config) string {
		if len(*at(c)) == 0 {
			return "{}"
		}
		var items []string
		for _, m := range *at(c) {
			items = append(items, strconv.Quote(m.Value)+" = "+strconv.Quote("role:"+m.Role))
		}
		return "{ " + strings.Join(items, ", ") + " }"
	}
	return k
}

func (m RoleMapping) text() string { return m.Value + "=role:" + m.Role }

// parseMapping reads "staff=role:staff". The value may have "=" itself, as names of LDAP have.
func parseMapping(s string) (RoleMapping, *mistake) {
	at := strings.LastIndexByte(s, '=')
	value, right := strings.TrimSpace(s[:max(at, 0)]), strings.TrimSpace(s[at+1:])
	role, named := strings.CutPrefix(right, "role:")
	switch {
	case value == "":
		return RoleMapping{}, &mistake{quoted(s) + " does not name a value of the claim", `write { "staff" = "role:staff" }`}
	case !named || !roleForm.MatchString(role):
		return RoleMapping{}, &mistake{quoted(right) + " does not name a role", "write role:NAME in lower-case letters, digits and . _ : -"}
	}
	return RoleMapping{value, role}, nil
}
