package people

import "encoding/json"

// auth0Writer writes the list that a bulk import of Auth0 takes.
type auth0Writer struct{ users }

type auth0User struct {
	ID       string        `json:"user_id"`
	Email    string        `json:"email"`
	Verified bool          `json:"email_verified"`
	Name     string        `json:"name,omitempty"`
	Blocked  bool          `json:"blocked"`
	App      auth0Metadata `json:"app_metadata"`
	Factors  []auth0Factor `json:"mfa_factors,omitempty"`
}

// auth0Metadata keeps claims below a name of its own, because Auth0 refuses some names.
type auth0Metadata struct {
	Roles  []string        `json:"roles,omitempty"`
	Claims json.RawMessage `json:"claims,omitempty"`
	Locale string          `json:"locale,omitempty"`
}

type auth0Factor struct {
	TOTP auth0TOTP `json:"totp"`
}

type auth0TOTP struct {
	Secret string `json:"secret" secret:"yes"`
}

// Write implements Writer.
func (w *auth0Writer) Write(p Exported) (left []string, err error) {
	u := auth0User{
		ID: p.ID, Email: p.Email, Verified: p.EmailVerified, Name: p.Name, Blocked: p.State != "active",
		App: auth0Metadata{Roles: p.Roles, Claims: p.Claims, Locale: p.Locale},
	}
	left = p.left()
	other := false
	for _, t := range p.TOTP {
		if t.Digits == 6 && t.Period == 30 && t.Algorithm == "SHA1" && len(u.Factors) == 0 { // Auth0 knows no other ones
			u.Factors = append(u.Factors, auth0Factor{auth0TOTP{t.Secret}})
		} else {
			other = true
		}
	}
	if other {
		left = append(left, "authenticator apps besides one of 6 digits")
	}
	if len(p.Identities) > 0 {
		left = append(left, "identities")
	}
	return left, w.add("[", u)
}

// Close implements Writer.
func (w *auth0Writer) Close() error { return w.end("[", "]") }
