package foreign

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"portico/internal/password/argon2"
)

// ErrForm means that the text is not a hash of a form that can be checked.
var ErrForm = errors.New("the form of the hash is not known, or a part of it is damaged")

const longest = 1024 // bytes of a hash as text

// Hash is a hash of another system.
type Hash struct {
	kind    string // with the cost, for messages
	memory  uint32 // KiB that a check takes
	setting string // the text before the digest
	digest  []byte
	blank   byte                       // what Bare fills the digest with
	encode  func(digest []byte) string // the text after the setting: nil is base64
	derive  func(a *argon2.Arena, password []byte) ([]byte, error)
	form    norm.Form // that the other system gives passwords: NFC, or NFKC
}

// Parse reads a hash.
func Parse(text string) (Hash, error) {
	if len(text) > longest {
		return Hash{}, fmt.Errorf("the hash has %d bytes: at most %d can be read", len(text), longest)
	}
	text = strings.TrimPrefix(text, "{CRYPT}")
	for _, k := range kinds() {
		if rest, ok := strings.CutPrefix(text, k.prefix); ok {
			return k.parse(rest)
		}
	}
	return parseHex(text)
}

type kind struct {
	prefix string
	parse  func(rest string) (Hash, error)
}

// kinds are the forms of hashes by their beginning.
func kinds() []kind {
	all := []kind{
		{"bcrypt_sha256$$2b$", func(rest string) (Hash, error) { return parseBcrypt("bcrypt_sha256$$2b$", rest) }},
		{"bcrypt$$2", func(rest string) (Hash, error) { return Parse("$2" + rest) }},
		{"argon2$", func(rest string) (Hash, error) { return Parse("$" + rest) }},
		{"scrypt$", parseScryptDjango},
		{"scrypt:", parseScryptWerkzeug},
		{"$scrypt$", func(rest string) (Hash, error) { return parseScrypt("$scrypt$", norm.NFC, rest) }},
		{"$scrypt-nfkc$", func(rest string) (Hash, error) { return parseScrypt("$scrypt-nfkc$", norm.NFKC, rest) }},
		{"$firebase-scrypt$", parseFirebase},
		{"$firescrypt$", parseFirescrypt},
		{"$5$", func(rest string) (Hash, error) { return parseSHACrypt("5", rest) }},
		{"$6$", func(rest string) (Hash, error) { return parseSHACrypt("6", rest) }},
		{"$1$", parseMD5Crypt},
		{"$P$", func(rest string) (Hash, error) { return parsePhpass("$P$", rest) }},
		{"$H$", func(rest string) (Hash, error) { return parsePhpass("$H$", rest) }},
	}
	for _, minor := range []string{"$2a$", "$2b$", "$2x$", "$2y$"} {
		all = append(all, kind{minor, func(rest string) (Hash, error) { return parseBcrypt(minor, rest) }})
	}
	for i, name := range argonTypes() {
		all = append(all, kind{"$" + name + "$", func(rest string) (Hash, error) { return parseArgon2(uint64(i), rest) }})
	}
	return append(all, digestKinds()...)
}

// String returns the canonical text, which Parse reads.
func (h Hash) String() string { return h.setting + h.tail() }

func (h Hash) tail() string {
	if h.encode == nil {
		return encode(h.digest)
	}
	return h.encode(h.digest)
}

// Kind names the algorithm and its cost, such as "bcrypt, cost 12".
func (h Hash) Kind() string { return h.kind }

// Memory returns the KiB that a check takes.
func (h Hash) Memory() uint32 { return h.memory }

// Digest returns what a right password gives.
func (h Hash) Digest() []byte { return h.digest }

// Bare returns h without its digest, for a caller that keeps another proof of it.
func (h Hash) Bare() Hash {
	h.digest = []byte(strings.Repeat(string(rune(h.blank)), len(h.digest)))
	return h
}

// Match reports whether a form of the typed password gives a digest that the caller
// takes for the right one. The caller compares in constant time, and does not keep it.
func (h Hash) Match(arena *argon2.Arena, typed string, right func(digest []byte) bool) (bool, error) {
	forms := []string{h.form.String(typed)}
	if forms[0] != typed && h.form == norm.NFC {
		forms = append(forms, typed)
	}
	for _, form := range forms {
		password := []byte(form)
		digest, err := h.derive(arena, password)
		clear(password)
		if err != nil {
			return false, err
		}
		ok := right(digest)
		clear(digest)
		if ok {
			return true, nil
		}
	}
	return false, nil
}

// within reads a number that has bounds.
func within(text, what string, least, most uint64) (int, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if errors.Is(err, strconv.ErrSyntax) {
		return 0, ErrForm
	}
	if err != nil || n < least || n > most {
		return 0, tooDear(what, n, least, most)
	}
	return int(n), nil
}

func tooDear(what string, claim, least, most uint64) error {
	return fmt.Errorf("the hash claims %s of %d: from %d to %d can be checked", what, claim, least, most)
}

// params reads numbers as in ln=14,r=8,p=1. There are no others, in no other order.
func params(text string, names ...string) ([]string, error) {
	parts := strings.Split(text, ",")
	if len(parts) != len(names) {
		return nil, ErrForm
	}
	for i, name := range names {
		value, ok := strings.CutPrefix(parts[i], name+"=")
		if !ok {
			return nil, ErrForm
		}
		parts[i] = value
	}
	return parts, nil
}

// split returns the parts of a text between dollars, if it has as many.
func split(text string, parts int) ([]string, error) {
	found := strings.Split(text, "$")
	if len(found) != parts {
		return nil, ErrForm
	}
	return found, nil
}

// decode reads base64 in all alphabets that hashes have, with or without padding. The one of
// Passlib has a dot in place of the plus sign.
func decode(text string) ([]byte, error) {
	text = strings.NewReplacer("-", "+", "_", "/", ".", "+").Replace(strings.TrimRight(text, "="))
	b, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil || strings.ContainsAny(text, "\r\n") {
		return nil, ErrForm
	}
	return b, nil
}

func encode(b []byte) string { return base64.RawStdEncoding.EncodeToString(b) }

// decodeBoth reads a salt and a digest, which has from 16 to 128 bytes.
func decodeBoth(salt, digest string) (s, d []byte, err error) {
	s, saltErr := decode(salt)
	d, digestErr := decode(digest)
	if saltErr != nil || digestErr != nil || len(d) < 16 || len(d) > 128 {
		return nil, nil, ErrForm
	}
	return s, d, nil
}
