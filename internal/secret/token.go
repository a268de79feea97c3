package secret

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"math/big"
	"strings"
)

const (
	tokenSize = 32 // bytes: 256 bits

	// TokenLength is the length of a token in characters.
	TokenLength = 43
)

// Token returns 256 random bits in URL-safe base64, without padding.
func Token() string {
	var b [tokenSize]byte
	_, _ = rand.Read(b[:])
	return Encode(b[:])
}

// oneSpelling refuses bits after the last byte. Strict copies a table of 256
// bytes, so it is called once.
var oneSpelling = base64.RawURLEncoding.Strict()

// Encode writes bytes as URL-safe base64, without padding.
func Encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// Decode is the inverse of Encode. It accepts only the spelling that Encode
// gives: base64 itself ignores line breaks and the unused bits at the end.
func Decode(s string) ([]byte, bool) {
	b, err := oneSpelling.DecodeString(s)
	return b, err == nil && !strings.ContainsAny(s, "\r\n")
}

// ValidToken reports whether s has the form of a token. It accepts one spelling
// of the bits only.
func ValidToken(s string) bool {
	if len(s) != TokenLength {
		return false
	}
	var b [tokenSize]byte
	n, err := oneSpelling.Decode(b[:], []byte(s))
	return err == nil && n == tokenSize
}

// Hash returns the SHA-256 of a token, which the database keeps. A token has
// 256 random bits, so a plain hash is enough.
func Hash(token string) []byte {
	h := sha256.Sum256([]byte(token))
	return h[:]
}

// Digits returns n random decimal digits, leading zeros included, without bias.
func Digits(n int) string {
	ten := big.NewInt(10)
	b := make([]byte, n)
	for i := range b {
		d, _ := rand.Int(rand.Reader, ten) // like rand.Read, it never fails
		b[i] = byte('0' + d.Int64())
	}
	return string(b)
}
