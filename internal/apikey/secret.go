package apikey

import (
	"encoding/binary"
	"hash/crc32"
	"strings"

	"portico/internal/secret"
)

// Prefix begins each secret, so that scanners recognize one in a repository or a log:
// portico_key_[A-Za-z0-9_-]{49}.
const Prefix = "portico_key_"

// New returns the text of a new secret.
func New() string {
	token := secret.Token()
	return Prefix + token + sum(token)
}

// Valid reports whether a text is spelled like a secret. The sum at the end finds a typing
// error, and a text that only looks like a secret, without the database.
func Valid(text string) bool {
	rest, ok := strings.CutPrefix(text, Prefix)
	if !ok || len(rest) < secret.TokenLength {
		return false
	}
	token := rest[:secret.TokenLength]
	return secret.ValidToken(token) && rest[secret.TokenLength:] == sum(token)
}

func sum(token string) string {
	return secret.Encode(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(token))))
}
