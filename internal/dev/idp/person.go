package idp

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// person is somebody who can sign in.
type person struct {
	Subject  string
	Name     string
	Email    string // "": the provider has none
	Verified bool
}

// samples returns one person for each thing that can happen to an app.
func samples() []person {
	return []person{
		{Subject: "sample-ada", Name: "Ada Lovelace", Email: "ada@example.test", Verified: true},
		{Subject: "sample-grace", Name: "Grace Hopper", Email: "grace@example.test"},
		{Subject: "sample-alan", Name: "Alan Turing"},
	}
}

// typed makes a person of what was typed. The same address, or without one the
// same name, is the same person again.
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

// claims are what UserInfo says (OpenID Connect Core 5.1).
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
