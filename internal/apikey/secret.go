package apikey

import (
	"encoding/binary"
	"hash/crc32"
	"strings"

	"portico/internal/secret"
)

// Prefix begins each secret of a key, and PersonalPrefix each personal access token, so that scanners
// recognize one in a repository or a log: portico_key_[A-Za-z0-9_-]{49}, portico_pat_[A-Za-z0-9_-]{49}.
const (
	Prefix         = "portico_key_"
	PersonalPrefix = "portico_pat_"
)

// New returns the text of a new secret.
func New() string { return spell(Prefix, secret.Token()) }

// NewPersonal returns the text of a personal access token with these 256 bits.
func NewPersonal(bits []byte) string { return spell(PersonalPrefix, secret.Encode(bits)) }

// Valid reports whether a text is spelled like a secret of a key. The sum at the end finds a typing
// error, and a text that only looks like a secret, without the database.
func Valid(text string) bool { return spelled(Prefix, text) }

// ValidPersonal is Valid for a personal access token.
func ValidPersonal(text string) bool { return spelled(PersonalPrefix, text) }

func spell(prefix, token string) string { return prefix + token + sum(token) }

func spelled(prefix, text string) bool {
	rest, ok := strings.CutPrefix(text, prefix)
	if !ok || len(rest) < secret.TokenLength {
		return false
	}
	token := rest[:secret.TokenLength]
	return secret.ValidToken(token) && rest[secret.TokenLength:] == sum(token)
}

func sum(token string) string {
	return secret.Encode(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(token))))
}
