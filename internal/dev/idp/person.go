package idp

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// person is a person who can sign in.
type person struct {
	Subject  string
	Name     string
	Email    string // "" if the provider has none
	Verified bool
}

// samples returns one person for each case that an app must handle: a verified
// address, an unverified one, and none.
func samples() []person {
	return []person{
		{Subject: "sample-ada", Name: "Ada Lovelace", Email: "ada@example.test", Verified: true},
		{Subject: "sample-grace", Name: "Grace Hopper", Email: "grace@example.test"},
		{Subject: "sample-alan", Name: "Alan Turing"},
	}
}

// otherSubject ends the subject of another person who now has the address of the first one.
const otherSubject = "-other"

// typed returns the person with a typed name and email address. The subject
// depends on the address, or on the name if there is no address.
func typed(name, email string, verified bool) person {
	name, email = strings.TrimSpace(name), strings.TrimSpace(email)
	key := strings.ToLower(email)
	if key == "" {
		key = "name " + name
	}
	digest := sha256.Sum256([]byte(key))
	return person{
		Subject: "typed-" + base64.RawURLEncoding.EncodeToString(digest[:12]),
		Name:    name, Email: email, Verified: verified && email != "",
	}
}

// claims returns the claims of UserInfo (OpenID Connect Core 5.1).
func (p person) claims() map[string]any {
	c := map[string]any{"sub": p.Subject}
	if p.Name != "" {
		c["name"] = p.Name
	}
	if p.Email != "" {
		c["email"], c["email_verified"] = p.Email, p.Verified
	}
	return c
}
