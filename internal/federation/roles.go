package federation

import (
	"encoding/json"
	"slices"
	"strings"
)

// RoleMapping gives the users whose claim has a value a role.
type RoleMapping struct{ Value, Role string }

// rolesIn returns the roles that the claim of a document gives, sorted. A claim of another
// form than texts gives none.
func (p *provider) rolesIn(document object) []string {
	values := valuesOf(document.at(p.rolesClaim))
	var roles []string
	for _, m := range p.roles {
		if slices.Contains(values, m.Value) {
			roles = append(roles, m.Role)
		}
	}
	slices.Sort(roles)
	return slices.Compact(roles)
}

// valuesOf returns the texts of a list, or the words of a text as in the claim scope.
func valuesOf(raw json.RawMessage) []string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return strings.Fields(text)
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	var values []string
	for _, item := range list {
		if json.Unmarshal(item, &text) == nil && string(item) != "null" {
			values = append(values, text)
		}
	}
	return values
}

// at returns the member at a path whose parts are joined by dots, nil if there is none. A name may
// have dots itself, as in "https://example.com/roles": the longest name that is there counts.
func (o object) at(path string) json.RawMessage {
	if value, ok := o[path]; ok {
		return value
	}
	for end := strings.LastIndexByte(path, '.'); end > 0; end = strings.LastIndexByte(path[:end], '.') {
		if value, ok := o[path[:end]]; ok {
			inner, err := parseObject(value)
			if err != nil {
				return nil
			}
			return inner.at(path[end+1:])
		}
	}
	return nil
}
