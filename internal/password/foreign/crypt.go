package foreign

import (
	"crypto/md5"
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"hash"
	"strings"

	"github.com/go-crypt/x/base64"
	"github.com/go-crypt/x/crypt"

	"portico/internal/password/argon2"
)

const (
	cryptAlphabet = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	mostRounds    = 1_000_000 // of SHA-crypt
	usualRounds   = "5000"    // of SHA-crypt
	mostPhpass    = 20        // logarithm

	// mostTyped is the longest password in bytes that these kinds hash, as in libxcrypt. Their
	// time grows with it.
	mostTyped = 512
)

// cryptText is a hash whose digest stays in the alphabet of crypt.
func cryptText(kind, setting, digest string, size int, derive func(password []byte) []byte) (Hash, error) {
	if len(digest) != size || strings.Trim(digest, cryptAlphabet) != "" {
		return Hash{}, ErrForm
	}
	return Hash{
		kind: kind, setting: setting, digest: []byte(digest), blank: '.',
		encode: func(b []byte) string { return string(b) },
		derive: func(_ *argon2.Arena, password []byte) ([]byte, error) {
			if len(password) > mostTyped {
				return nil, nil
			}
			return derive(password), nil
		},
	}, nil
}

// parseSHACrypt reads rounds=5000$<salt>$<digest>, in which the rounds may be missing.
func parseSHACrypt(number, rest string) (Hash, error) {
	rounds := usualRounds
	if claim, ok := strings.CutPrefix(rest, "rounds="); ok {
		rounds, rest, _ = strings.Cut(claim, "$")
	}
	count, err := within(rounds, "a number of rounds", 1000, mostRounds)
	if err != nil {
		return Hash{}, err
	}
	parts, err := split(rest, 2)
	if err != nil || len(parts[0]) > 16 {
		return Hash{}, ErrForm
	}
	made, name, size := func() hash.Hash { return sha512.New() }, "SHA-512-crypt", 86
	if number == "5" {
		made, name, size = sha256.New, "SHA-256-crypt", 43
	}
	setting := "$" + number + "$"
	if rounds != usualRounds {
		setting += fmt.Sprintf("rounds=%d$", count)
	}
	return cryptText(fmt.Sprintf("%s, %d rounds", name, count), setting+parts[0]+"$", parts[1], size,
		func(password []byte) []byte { return crypt.KeySHACrypt(made, password, []byte(parts[0]), count) })
}

// parseMD5Crypt reads <salt>$<digest>.
func parseMD5Crypt(rest string) (Hash, error) {
	parts, err := split(rest, 2)
	if err != nil || len(parts[0]) > 8 {
		return Hash{}, ErrForm
	}
	return cryptText("MD5-crypt", "$1$"+parts[0]+"$", parts[1], 22,
		func(password []byte) []byte { return crypt.KeyMD5Crypt(password, []byte(parts[0])) })
}

// parsePhpass reads B<salt: 8 characters><digest>, whose first character is the logarithm of the
// rounds.
func parsePhpass(prefix, rest string) (Hash, error) {
	if len(rest) != 1+8+22 {
		return Hash{}, ErrForm
	}
	log := strings.IndexByte(cryptAlphabet, rest[0])
	if log < 0 {
		return Hash{}, ErrForm
	}
	if log > mostPhpass {
		return Hash{}, tooDear("a number of rounds", 1<<log, 1, 1<<mostPhpass)
	}
	return cryptText(fmt.Sprintf("phpass, %d rounds", 1<<log), prefix+rest[:9], rest[9:], 22,
		func(password []byte) []byte {
			sum := md5.Sum(append([]byte(rest[1:9]), password...))
			for range 1 << log {
				sum = md5.Sum(append(sum[:], password...))
			}
			return base64.EncodeCrypt(sum[:])
		})
}
