package foreign

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"

	"portico/internal/password/argon2"
)

// algorithm is a plain hash function.
type algorithm struct {
	name string
	size int
	made func() hash.Hash
}

func algorithms() []algorithm {
	return []algorithm{
		{"md5", md5.Size, md5.New},
		{"sha1", sha1.Size, sha1.New},
		{"sha256", sha256.Size, sha256.New},
		{"sha384", sha512.Size384, sha512.New384},
		{"sha512", sha512.Size, sha512.New},
	}
}

// sum hashes texts one after another.
func (a algorithm) sum(h hash.Hash, parts ...[]byte) []byte {
	for _, part := range parts {
		_, _ = h.Write(part) // never fails
	}
	return h.Sum(nil)
}

// digestKinds are the forms that begin with the name of a hash function.
func digestKinds() (all []kind) {
	for _, a := range algorithms() {
		take := func(parse func(algorithm, string) (Hash, error)) func(string) (Hash, error) {
			return func(rest string) (Hash, error) { return parse(a, rest) }
		}
		all = append(all,
			kind{"$pbkdf2-" + a.name + "$", take(parsePBKDF2)},
			kind{"pbkdf2_" + a.name + "$", take(parsePBKDF2Django)},
			kind{"pbkdf2:" + a.name + ":", take(parsePBKDF2Werkzeug)},
			kind{"$hmac-" + a.name + "$", take(parseHMAC)},
			kind{"$" + a.name + "$", take(parsePlain)},
		)
		if a.name == "md5" || a.name == "sha1" { // Werkzeug gave the others of this form another meaning
			all = append(all, kind{a.name + "$", take(parsePlainDjango)})
		}
		if a.name == "sha384" {
			continue // LDAP has none
		}
		upper := strings.ToUpper(strings.TrimSuffix(a.name, "1")) + "}"
		all = append(all,
			kind{"{" + upper, func(rest string) (Hash, error) { return parseLDAP(a, "{"+upper, false, rest) }},
			kind{"{S" + upper, func(rest string) (Hash, error) { return parseLDAP(a, "{S"+upper, true, rest) }},
		)
	}
	return append(all, kind{"$pbkdf2$", func(rest string) (Hash, error) { return parsePBKDF2(algorithms()[1], rest) }})
}

// parseLDAP reads base64 of the digest and the salt, which follows the password (RFC 2307).
func parseLDAP(a algorithm, prefix string, salted bool, rest string) (Hash, error) {
	b, err := decode(rest)
	if err != nil || len(b) < a.size || salted != (len(b) > a.size) {
		return Hash{}, ErrForm
	}
	digest, salt := b[:a.size:a.size], b[a.size:]
	return Hash{
		kind: "LDAP " + prefix, setting: prefix, digest: digest,
		encode: func(d []byte) string { return encode(append(d[:len(d):len(d)], salt...)) },
		derive: func(_ *argon2.Arena, password []byte) ([]byte, error) {
			return a.sum(a.made(), password, salt), nil
		},
	}, nil
}

// parseHMAC reads <digest>$<key>, as Kratos writes it.
func parseHMAC(a algorithm, rest string) (Hash, error) {
	parts, err := split(rest, 2)
	if err != nil {
		return Hash{}, err
	}
	key, digest, err := decodeBoth(parts[1], parts[0])
	if err != nil || len(digest) != a.size || len(key) == 0 {
		return Hash{}, ErrForm
	}
	return Hash{
		kind: "HMAC with " + a.name, setting: "$hmac-" + a.name + "$", digest: digest,
		encode: func(d []byte) string { return encode(d) + "$" + encode(key) },
		derive: func(_ *argon2.Arena, password []byte) ([]byte, error) {
			return a.sum(hmac.New(a.made, key), password), nil
		},
	}, nil
}

const (
	saltBefore = "salt=before"
	saltAfter  = "salt=after"
)

// parsePlain reads salt=before$<salt>$<digest>, in which the salt may be empty. Kratos writes
// the order as pf=<base64 of a pattern>, and nothing without a salt.
func parsePlain(a algorithm, rest string) (Hash, error) {
	parts := strings.Split(rest, "$")
	if len(parts) == 1 {
		parts = []string{saltBefore, "", parts[0]}
	}
	if pattern, ok := strings.CutPrefix(parts[0], "pf="); ok {
		b, _ := decode(pattern)
		parts[0] = map[string]string{"{SALT}{PASSWORD}": saltBefore, "{PASSWORD}{SALT}": saltAfter}[string(b)]
	}
	if len(parts) != 3 || parts[0] != saltBefore && parts[0] != saltAfter {
		return Hash{}, ErrForm
	}
	salt, digest, err := decodeBoth(parts[1], parts[2])
	if err != nil {
		return Hash{}, err
	}
	return plainHash(a, parts[0], salt, digest)
}

func plainHash(a algorithm, order string, salt, digest []byte) (Hash, error) {
	if len(digest) != a.size {
		return Hash{}, ErrForm
	}
	name := "salted "
	if len(salt) == 0 {
		name = "unsalted "
	}
	return Hash{
		kind: name + a.name, setting: fmt.Sprintf("$%s$%s$%s$", a.name, order, encode(salt)), digest: digest,
		derive: func(_ *argon2.Arena, password []byte) ([]byte, error) {
			if order == saltAfter {
				return a.sum(a.made(), password, salt), nil
			}
			return a.sum(a.made(), salt, password), nil
		},
	}, nil
}

// parsePlainDjango reads <salt as text>$<digest in hex>.
func parsePlainDjango(a algorithm, rest string) (Hash, error) {
	parts, err := split(rest, 2)
	if err != nil {
		return Hash{}, err
	}
	digest, err := hex.DecodeString(parts[1])
	if err != nil {
		return Hash{}, ErrForm
	}
	return plainHash(a, saltBefore, []byte(parts[0]), digest)
}

// parseHex reads a digest in hex without a salt, whose length names the function.
func parseHex(text string) (Hash, error) {
	digest, err := hex.DecodeString(text)
	for _, a := range algorithms() {
		if err == nil && len(digest) == a.size {
			return plainHash(a, saltBefore, nil, digest)
		}
	}
	return Hash{}, ErrForm
}
