package people

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

// keycloak is a user in the export of a realm (kc.sh export --users same_file or realm_file).
type keycloak struct {
	ID         string              `json:"id"`
	Created    instant             `json:"createdTimestamp"`
	Username   string              `json:"username"`
	Enabled    *bool               `json:"enabled"`
	Verified   bool                `json:"emailVerified"`
	Email      string              `json:"email"`
	First      string              `json:"firstName"`
	Last       string              `json:"lastName"`
	Attributes map[string][]string `json:"attributes"`
	Roles      []string            `json:"realmRoles"`
	Identities []struct {
		Provider string `json:"identityProvider"`
		Subject  string `json:"userId"`
		Name     string `json:"userName"`
	} `json:"federatedIdentities"`
	Credentials []keycloakCredential `json:"credentials" brings:"passwords and second factors"`
	HasTOTP     bool                 `json:"totp"` // the credentials say it too
	Actions     []string             `json:"requiredActions"`
}

type keycloakCredential struct {
	ID       string  `json:"id"`
	Type     string  `json:"type"`
	Label    string  `json:"userLabel"`
	Created  instant `json:"createdDate"`
	Priority int     `json:"priority"`
	Given    bool    `json:"temporary"`
	Secret   string  `json:"secretData" secret:"yes"`     // JSON
	Settings string  `json:"credentialData" secret:"yes"` // JSON
}

func keycloakPerson(o Options, e *keycloak, at *Place) (Person, error) {
	p := Person{
		Subject: o.subject(e.ID), Email: e.Email, EmailVerified: e.Verified, Name: full(e.First, e.Last),
		State: state(boolean(e.Enabled != nil && !*e.Enabled)), CreatedAt: e.Created.time(),
	}
	if e.Credentials != nil { // an export says that somebody has no attributes and no roles by leaving them out
		p.Roles = []string{}
		if e.Attributes == nil {
			e.Attributes = map[string][]string{}
		}
	}
	for _, role := range e.Roles {
		if !strings.HasPrefix(role, "default-roles-") && role != "offline_access" && role != "uma_authorization" { // every user of a realm has them
			p.Roles = append(p.Roles, role)
		}
	}
	if locale := e.Attributes["locale"]; len(locale) > 0 {
		p.Locale = locale[0]
	}
	maps.DeleteFunc(e.Attributes, func(name string, _ []string) bool { return name == "locale" })
	object, _ := json.Marshal(e.Attributes) // texts never fail
	p.Claims = claims(object)
	for _, i := range e.Identities {
		o.identity(&p, at, i.Provider, i.Subject)
	}
	for i, c := range e.Credentials {
		if err := c.add(o, e.ID, &p, at); err != nil {
			return p, &Problem{Field: fmt.Sprintf("credentials[%d]", i), Reason: err.Error()}
		}
	}
	for _, action := range e.Actions {
		if action == "UPDATE_PASSWORD" {
			p.dropGiven(at, "requiredActions UPDATE_PASSWORD")
		} else {
			at.ignore("requiredActions " + action)
		}
	}
	return p, nil
}

func (c keycloakCredential) add(o Options, user string, p *Person, at *Place) error {
	var secret struct {
		Value string `json:"value"`
		Salt  string `json:"salt"`
		Codes []struct {
			Hash string `json:"encodedHashedValue"`
		} `json:"codes"` // recovery codes that are not used
	}
	var s struct {
		Iterations int                 `json:"hashIterations"`
		Algorithm  string              `json:"algorithm"`
		More       map[string][]string `json:"additionalParameters"`

		Subtype  string `json:"subType"` // of a one-time code
		Digits   int    `json:"digits"`
		Period   int    `json:"period"`
		Encoding string `json:"secretEncoding"`

		ID     string   `json:"credentialId"` // of a passkey
		Key    string   `json:"credentialPublicKey"`
		AAGUID string   `json:"aaguid"`
		Count  int64    `json:"counter"`
		Ways   []string `json:"transports"`
	}
	if json.Unmarshal([]byte(c.Settings), &s) != nil || c.Secret != "" && json.Unmarshal([]byte(c.Secret), &secret) != nil {
		return fmt.Errorf("secretData and credentialData must be JSON in a text, as Keycloak 11 and later write it")
	}
	switch {
	case c.Type == "password" && c.Given:
		at.ignore(givenPassword + "temporary")
	case c.Type == "password" && s.Algorithm == "argon2":
		version, ok := map[string]string{"1.0": "v=16", "1.3": "v=19"}[first(s.More["version"], "1.3")]
		if !ok {
			return fmt.Errorf("the version %s of Argon2 is not known", Short(first(s.More["version"], "")))
		}
		p.Password = phc("argon2"+first(s.More["type"], "id"), version,
			fmt.Sprintf("m=%s,t=%d,p=%s", first(s.More["memory"], "7168"), s.Iterations, first(s.More["parallelism"], "1")), secret.Salt, secret.Value)
	case c.Type == "password" && s.Algorithm == "pbkdf2":
		p.Password = phc("pbkdf2-sha1", fmt.Sprintf("i=%d", s.Iterations), secret.Salt, secret.Value)
	case c.Type == "password" && strings.HasPrefix(s.Algorithm, "pbkdf2-"):
		p.Password = phc(s.Algorithm, fmt.Sprintf("i=%d", s.Iterations), secret.Salt, secret.Value)
	case c.Type == "password":
		p.Password = secret.Value // of an extension, such as bcrypt: the hash names itself
	case c.Type == "otp" && s.Subtype == "totp":
		key := secret.Value
		if s.Encoding != "BASE32" {
			key = seed(key)
		}
		p.TOTP = append(p.TOTP, TOTP{Secret: key, Digits: s.Digits, Period: s.Period, Algorithm: strings.TrimPrefix(s.Algorithm, "Hmac"), Name: c.Label, CreatedAt: c.Created.time()})
	case c.Type == "recovery-authn-codes":
		for _, code := range secret.Codes {
			p.RecoveryCodes = append(p.RecoveryCodes, phc("sha512", "salt=before", "", strings.TrimRight(code.Hash, "=")))
		}
	case c.Type == "webauthn":
		at.ignore(secondOnly)
	case c.Type == "webauthn-passwordless":
		o.passkey(p, at, Passkey{
			ID: urlSafe(s.ID), PublicKey: urlSafe(s.Key), SignCount: s.Count, AAGUID: s.AAGUID,
			UserHandle: base64.RawURLEncoding.EncodeToString([]byte(user)), Transports: lower(s.Ways), Name: c.Label, CreatedAt: c.Created.time(),
		})
	default:
		at.ignore("credential of the type " + c.Type)
	}
	return nil
}

func first(list []string, fallback string) string {
	if len(list) == 0 {
		return fallback
	}
	return list[0]
}

func lower(list []string) (out []string) {
	for _, s := range list {
		out = append(out, strings.ToLower(s))
	}
	return out
}
