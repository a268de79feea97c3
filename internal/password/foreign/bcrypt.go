package foreign

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"

	"github.com/go-crypt/x/bcrypt"

	"portico/internal/password/argon2"
)

const (
	bcryptMost = 15 // cost: two seconds
	bcryptKey  = 72 // bytes of a password that count
	bcryptSalt = 22 // characters
)

func bcryptText() *base64.Encoding {
	return base64.NewEncoding("./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789").WithPadding(base64.NoPadding)
}

// parseBcrypt reads 12$<salt><digest>. Bytes of a password after the 72nd do not count, as in
// the software that made the hash.
func parseBcrypt(prefix, rest string) (Hash, error) {
	if len(rest) != len("12$")+bcryptSalt+31 || rest[2] != '$' {
		return Hash{}, ErrForm
	}
	cost, err := within(rest[:2], "a cost", 4, bcryptMost)
	if err != nil {
		return Hash{}, err
	}
	salt, saltErr := bcryptText().DecodeString(rest[3:][:bcryptSalt])
	digest, digestErr := bcryptText().DecodeString(rest[3+bcryptSalt:])
	if saltErr != nil || digestErr != nil {
		return Hash{}, ErrForm
	}
	return Hash{
		kind: fmt.Sprintf("bcrypt, cost %d", cost), setting: prefix + rest[:3+bcryptSalt],
		digest: digest, encode: bcryptText().EncodeToString,
		derive: func(_ *argon2.Arena, password []byte) ([]byte, error) {
			switch prefix {
			case "$2x$":
				password = signed(password)
			case "bcrypt_sha256$$2b$": // Django
				sum := sha256.Sum256(password)
				password = hex.AppendEncode(nil, sum[:])
			}
			text, err := bcrypt.Key(password, salt, cost)
			if err != nil {
				return nil, err
			}
			return bcryptText().DecodeString(string(text))
		},
	}, nil
}

// signed returns a password whose key is the one that crypt_blowfish made before 1.1. That
// version took bytes as signed numbers, so a byte beyond ASCII set all bits before it in its word.
func signed(password []byte) []byte {
	text := append(password[:len(password):len(password)], 0)
	key := make([]byte, 0, bcryptKey)
	for at := 0; len(key) < bcryptKey; {
		var word uint32
		for range 4 {
			word = word<<8 | uint32(int32(int8(text[at])))
			at = (at + 1) % len(text)
		}
		key = append(key, byte(word>>24), byte(word>>16), byte(word>>8), byte(word))
	}
	return key
}
