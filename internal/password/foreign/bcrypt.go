package foreign

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"

	"golang.org/x/crypto/blowfish" //lint:ignore SA1019 bcrypt is made of it, and x/crypto/bcrypt takes no salt

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
			return bcrypt(password, salt, cost)
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

func bcrypt(password, salt []byte, cost int) ([]byte, error) {
	key := append(password[:len(password):len(password)], 0)
	defer clear(key)
	c, err := blowfish.NewSaltedCipher(key, salt)
	if err != nil {
		return nil, err
	}
	for range 1 << cost {
		blowfish.ExpandKey(key, c)
		blowfish.ExpandKey(salt, c)
	}
	digest := []byte("OrpheanBeholderScryDoubt")
	for block := 0; block < len(digest); block += blowfish.BlockSize {
		for range 64 {
			c.Encrypt(digest[block:], digest[block:])
		}
	}
	return digest[:23], nil // one byte is cut, as in all implementations
}
