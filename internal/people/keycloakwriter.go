package people

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// keycloakWriter writes a realm with its users and their roles, as 'kc.sh import' and the partial
// import of the console take it.
type keycloakWriter struct {
	users
	realm string
	roles map[string]bool
}

type keycloakUser struct {
	ID          string              `json:"id"`
	Username    string              `json:"username"`
	Email       string              `json:"email"`
	Verified    bool                `json:"emailVerified"`
	First       string              `json:"firstName,omitempty"`
	Last        string              `json:"lastName,omitempty"`
	Enabled     bool                `json:"enabled"`
	Created     int64               `json:"createdTimestamp"` // milliseconds
	Attributes  map[string][]string `json:"attributes,omitempty"`
	Roles       []string            `json:"realmRoles,omitempty"`
	Identities  []keycloakIdentity  `json:"federatedIdentities,omitempty"`
	Credentials []keycloakApp       `json:"credentials,omitempty"`
}

type keycloakIdentity struct {
	Provider string `json:"identityProvider"` // its alias
	Subject  string `json:"userId"`
	Name     string `json:"userName"`
}

// keycloakApp is an authenticator app.
type keycloakApp struct {
	Type     string `json:"type"`
	Label    string `json:"userLabel"`
	Created  int64  `json:"createdDate"`
	Secret   string `json:"secretData" secret:"yes"`     // JSON
	Settings string `json:"credentialData" secret:"yes"` // JSON
}

func (w *keycloakWriter) head() string {
	name, _ := json.Marshal(w.realm) // a text
	return `{"realm":` + string(name) + `,"enabled":true,"users":[`
}

// Write implements Writer.
func (w *keycloakWriter) Write(p Exported) (left []string, err error) {
	left = p.left()
	u := keycloakUser{
		ID: p.ID, Username: p.Email, Email: p.Email, Verified: p.EmailVerified, First: p.Name, Enabled: p.State == "active",
		Created: p.CreatedAt.UnixMilli(), Roles: p.Roles, Attributes: map[string][]string{},
	}
	if at := strings.LastIndexByte(p.Name, ' '); at > 0 {
		u.First, u.Last = p.Name[:at], p.Name[at+1:]
	}
	if p.Locale != "" {
		u.Attributes["locale"] = []string{p.Locale}
	}
	for _, role := range p.Roles {
		w.roles[role] = true
	}
	for n, i := range p.Identities {
		u.Identities = append(u.Identities, keycloakIdentity{p.Providers[n], i.Subject, i.Subject})
	}
	if w.claims(&u, p.Claims) {
		left = append(left, "claims that are objects")
	}
	for _, t := range p.TOTP {
		secret, _ := json.Marshal(map[string]string{"value": t.Secret})
		settings, _ := json.Marshal(map[string]any{
			"subType": "totp", "digits": t.Digits, "counter": 0, "period": t.Period, "algorithm": "Hmac" + t.Algorithm, "secretEncoding": "BASE32",
		})
		u.Credentials = append(u.Credentials, keycloakApp{"otp", cmp.Or(t.Name, "Portico"), t.CreatedAt.UnixMilli(), string(secret), string(settings)})
	}
	return left, w.add(w.head(), u)
}

// claims makes attributes of claims, and reports whether some have no place.
func (w *keycloakWriter) claims(u *keycloakUser, object json.RawMessage) (left bool) {
	var claims map[string]json.RawMessage
	_ = json.Unmarshal(object, &claims) // none, or what an operator has given
	for name, raw := range claims {
		var text string
		var list []string
		switch {
		case json.Unmarshal(raw, &text) == nil:
			u.Attributes[name] = []string{text}
		case json.Unmarshal(raw, &list) == nil:
			u.Attributes[name] = list
		case raw[0] != '{' && raw[0] != '[':
			u.Attributes[name] = []string{string(raw)}
		default:
			left = true
		}
	}
	return left
}

// Close implements Writer. The roles come last, when all are known.
func (w *keycloakWriter) Close() error {
	type role struct {
		Name string `json:"name"`
	}
	roles := []role{}
	for _, name := range slices.Sorted(maps.Keys(w.roles)) {
		roles = append(roles, role{name})
	}
	b, _ := json.Marshal(roles) // texts
	return w.end(w.head(), `],"roles":{"realm":`+string(b)+`}}`)
}
