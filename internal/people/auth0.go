package people

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/bits"
	"strings"
)

// auth0 is a user in the export of a connection, in the file with hashes that Auth0's support
// makes, or in the form of a bulk import.
type auth0 struct {
	ID       string          `json:"user_id"`
	MongoID  json.RawMessage `json:"_id"` // of the file with hashes
	Email    string          `json:"email"`
	Verified bool            `json:"email_verified"`
	Name     string          `json:"name"`
	Given    string          `json:"given_name"`
	Family   string          `json:"family_name"`
	Blocked  boolean         `json:"blocked"`
	Created  instant         `json:"created_at"`
	Seen     instant         `json:"last_login"`
	Hash     string          `json:"passwordHash" secret:"yes" brings:"passwords"`
	BulkHash string          `json:"password_hash" secret:"yes" brings:"passwords"`
	Custom   *auth0Hash      `json:"custom_password_hash" brings:"passwords"`
	App      json.RawMessage `json:"app_metadata"`
	Factors  []struct {
		TOTP *struct {
			Secret string `json:"secret" secret:"yes"`
		} `json:"totp"`
	} `json:"mfa_factors" brings:"authenticator apps"`
	Identities []struct {
		Provider   string          `json:"provider"`
		Subject    json.RawMessage `json:"user_id"` // a text or a number
		Connection string          `json:"connection"`
		Social     bool            `json:"isSocial"`
	} `json:"identities"`
}

type auth0Value struct {
	Value    string `json:"value" secret:"yes"`
	Encoding string `json:"encoding"`
	Position string `json:"position"` // of a salt
}

type auth0Hash struct {
	Algorithm string `json:"algorithm"`
	Hash      struct {
		Value    string     `json:"value" secret:"yes"`
		Encoding string     `json:"encoding"`
		Digest   string     `json:"digest"`
		Key      auth0Value `json:"key"`
	} `json:"hash"`
	Salt     auth0Value `json:"salt"`
	Password struct {
		Encoding string `json:"encoding"`
	} `json:"password"`
	Length int `json:"keylen"`
	Cost   int `json:"cost"`
	Block  int `json:"blockSize"`
	Lanes  int `json:"parallelization"`
}

func auth0Person(o Options, e *auth0, at *Place) (Person, error) {
	p := Person{
		Subject: o.subject(e.ID), Email: e.Email, EmailVerified: e.Verified, Name: cmp.Or(full(e.Given, e.Family), e.Name),
		State: state(e.Blocked), CreatedAt: e.Created.time(), SeenAt: e.Seen.time(), Claims: claims(e.App),
		Password: cmp.Or(e.Hash, e.BulkHash),
	}
	var id struct {
		OID string `json:"$oid"`
	}
	if p.Subject == nil && json.Unmarshal(e.MongoID, &id) == nil && id.OID != "" {
		p.Subject = o.subject("auth0|" + id.OID)
	}
	if p.Name == p.Email {
		p.Name = "" // Auth0 gives users without a name their address
	}
	for _, f := range e.Factors {
		if f.TOTP == nil {
			at.ignore("mfa_factors without totp")
			continue
		}
		p.TOTP = append(p.TOTP, TOTP{Secret: f.TOTP.Secret})
	}
	for _, i := range e.Identities {
		if i.Provider != "auth0" {
			o.identity(&p, at, i.Provider, strings.Trim(string(i.Subject), `"`))
		}
	}
	if e.Custom == nil {
		return p, nil
	}
	text, err := e.Custom.text()
	if err != nil {
		return p, &Problem{Field: "custom_password_hash", Reason: err.Error()}
	}
	p.Password = text
	return p, nil
}

// text returns the hash as one text.
func (h *auth0Hash) text() (string, error) {
	if e := cmp.Or(h.Password.Encoding, "utf8"); e != "utf8" {
		return "", fmt.Errorf("a password in the encoding %s cannot be checked: only utf8 can", Short(e))
	}
	value, valueErr := bytesOf(h.Hash.Value, h.Hash.Encoding)
	salt, saltErr := bytesOf(h.Salt.Value, cmp.Or(h.Salt.Encoding, "utf8"))
	key, keyErr := bytesOf(h.Hash.Key.Value, cmp.Or(h.Hash.Key.Encoding, "utf8"))
	if cmp.Or(valueErr, saltErr, keyErr) != nil {
		return "", fmt.Errorf("a value is not in the encoding that it names")
	}
	switch h.Algorithm {
	case "bcrypt", "argon2", "pbkdf2", "ldap":
		return h.Hash.Value, nil // it names its parameters
	case "scrypt":
		if bits.OnesCount(uint(h.Cost)) != 1 {
			return "", fmt.Errorf("cost: must be a power of 2")
		}
		return phc("scrypt", fmt.Sprintf("ln=%d,r=%d,p=%d", bits.TrailingZeros(uint(h.Cost)), h.Block, cmp.Or(h.Lanes, 1)), salt, value), nil
	case "hmac":
		return phc("hmac-"+h.Hash.Digest, value, key), nil
	case "md5", "sha1", "sha256", "sha512":
		order := "salt=before"
		if h.Salt.Position == "suffix" {
			order = "salt=after"
		}
		return phc(h.Algorithm, order, salt, value), nil
	}
	return "", fmt.Errorf("the algorithm %s cannot be checked", Short(h.Algorithm))
}
