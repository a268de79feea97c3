package people

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// betterAuth is a row of the table user, to which the query of docs/operating/exports.md adds the
// rows of the tables account and passkey.
type betterAuth struct {
	ID       string  `json:"id"`
	Name     string  `json:"name"`
	Email    string  `json:"email"`
	Verified boolean `json:"emailVerified"`
	Created  instant `json:"createdAt"`
	Banned   boolean `json:"banned"`
	Role     *string `json:"role"`
	Accounts []struct {
		Provider string `json:"providerId"`
		Subject  string `json:"accountId"`
		Hash     string `json:"password" secret:"yes"`
	} `json:"accounts" brings:"passwords and identities"`
	Passkeys []json.RawMessage `json:"passkeys"`
}

func betterAuthPerson(o Options, e *betterAuth, at *Place) (Person, error) {
	p := Person{
		Subject: o.subject(e.ID), Email: e.Email, EmailVerified: bool(e.Verified), Name: e.Name, State: state(e.Banned), CreatedAt: e.Created.time(),
	}
	if e.Role != nil {
		p.Roles = []string{}
		for role := range strings.SplitSeq(*e.Role, ",") {
			if role = strings.TrimSpace(role); role != "" && role != "user" { // everybody has it
				p.Roles = append(p.Roles, role)
			}
		}
	}
	for _, a := range e.Accounts {
		if a.Provider != "credential" {
			o.identity(&p, at, a.Provider, a.Subject)
			continue
		}
		p.Password = betterAuthHash(a.Hash)
	}
	if len(e.Passkeys) > 0 {
		at.ignore(noHandle)
	}
	return p, nil
}

// betterAuthHash writes <salt>:<hash> in the form of other hashes. The salt is hashed as the text
// that it is. An app may have chosen another function, whose hash names itself.
func betterAuthHash(text string) string {
	salt, digest, ok := strings.Cut(text, ":")
	b, err := hex.DecodeString(digest)
	if !ok || err != nil || len(b) != 64 {
		return text
	}
	encode := base64.RawStdEncoding.EncodeToString
	return phc("scrypt-nfkc", "ln=14,r=16,p=1", encode([]byte(salt)), encode(b))
}
