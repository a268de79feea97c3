package people

import (
	"cmp"
	"encoding/json"
	"strings"
)

// clerk is a user in the export of an instance, as CSV or JSON.
type clerk struct {
	ID         string          `json:"id"`
	First      string          `json:"first_name"`
	Last       string          `json:"last_name"`
	Primary    string          `json:"primary_email_address"`
	Verified   json.RawMessage `json:"verified_email_addresses"` // a list, or a text with commas
	Unverified json.RawMessage `json:"unverified_email_addresses"`
	Seed       string          `json:"totp_secret" secret:"yes" brings:"authenticator apps"`
	Digest     string          `json:"password_digest" secret:"yes" brings:"passwords"`
	Hasher     string          `json:"password_hasher"`
	Banned     boolean         `json:"banned"`
	Created    instant         `json:"created_at"`
	Seen       instant         `json:"last_sign_in_at"`
	Public     json.RawMessage `json:"public_metadata"`
	Codes      []string        `json:"backup_codes" secret:"yes"`
}

func clerkPerson(o Options, e *clerk, at *Place) (Person, error) {
	verified, unverified := addresses(e.Verified), addresses(e.Unverified)
	p := Person{
		Subject: o.subject(e.ID), Email: cmp.Or(e.Primary, first(verified, ""), first(unverified, "")), Name: full(e.First, e.Last),
		State: state(e.Banned), CreatedAt: e.Created.time(), SeenAt: e.Seen.time(), Claims: claims(e.Public),
		Password: clerkHash(e.Hasher, e.Digest), RecoveryCodes: e.Codes,
	}
	for _, a := range verified {
		if a == p.Email {
			p.EmailVerified = true
			continue
		}
		p.Addresses = append(p.Addresses, Address{Email: a, Verified: true})
	}
	for _, a := range unverified {
		if a != p.Email {
			p.Addresses = append(p.Addresses, Address{Email: a})
		}
	}
	if e.Seed != "" {
		p.TOTP = []TOTP{{Secret: e.Seed}}
	}
	switch e.Hasher {
	case "", "bcrypt", "bcrypt_sha256_django", "argon2i", "argon2id", "md5", "sha256", "phpass", "pbkdf2_sha1", "pbkdf2_sha256", "pbkdf2_sha256_django", "pbkdf2_sha512", "pbkdf2_sha512_hex", "scrypt_werkzeug", "ldap_ssha":
		return p, nil
	}
	p.Password = ""
	at.ignore("password_hasher " + e.Hasher)
	return p, nil
}

// clerkHash writes a digest of PBKDF2 in a form that names its encoding. Clerk has one of its own for each hasher. Other digests have the
// form that other systems write.
func clerkHash(hasher, digest string) string {
	form, ok := map[string]struct{ name, salt, hash string }{
		"pbkdf2_sha1":       {"pbkdf2-sha1", "hex", "hex"},
		"pbkdf2_sha256":     {"pbkdf2-sha256", "base64", "base64"},
		"pbkdf2_sha512":     {"pbkdf2-sha512", "utf8", "hex"},
		"pbkdf2_sha512_hex": {"pbkdf2-sha512", "hex", "hex"},
	}[hasher]
	parts := strings.Split(digest, "$") // the hasher, iterations, salt and hash; at times the length of the hash
	if !ok || len(parts) < 4 {
		return digest
	}
	salt, err := bytesOf(parts[2], form.salt)
	if err != nil {
		salt, _ = bytesOf(parts[2], "utf8") // as Clerk does
	}
	hash, err := bytesOf(parts[3], form.hash)
	if err != nil {
		return digest
	}
	return phc(form.name, "i="+parts[1], salt, hash)
}

// addresses reads a list, or a text with separators.
func addresses(raw json.RawMessage) (list []string) {
	if json.Unmarshal(raw, &list) == nil {
		return list
	}
	var text string
	_ = json.Unmarshal(raw, &text) // another value has no address
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,;|", r) })
}
