package foreign

import (
	"crypto/pbkdf2"
	"encoding/hex"
	"fmt"
	"strings"

	"portico/internal/password/argon2"
)

const mostIterations = 5_000_000 // for each block of the result

// parsePBKDF2 reads i=210000,l=32$<salt>$<digest>, and the same with the iterations alone, as
// Passlib writes it.
func parsePBKDF2(a algorithm, rest string) (Hash, error) {
	parts, err := split(rest, 3)
	if err != nil {
		return Hash{}, err
	}
	iterations, size, _ := strings.Cut(strings.TrimPrefix(parts[0], "i="), ",l=")
	salt, digest, err := decodeBoth(parts[1], parts[2])
	if err != nil || size != "" && size != fmt.Sprint(len(digest)) {
		return Hash{}, ErrForm
	}
	return pbkdf2Hash(a, iterations, salt, digest)
}

func pbkdf2Hash(a algorithm, iterations string, salt, digest []byte) (Hash, error) {
	blocks := (len(digest) + a.size - 1) / a.size
	count, err := within(iterations, "a number of iterations", 1, uint64(mostIterations/blocks))
	if err != nil {
		return Hash{}, err
	}
	return Hash{
		kind:    fmt.Sprintf("PBKDF2 with %s, %d iterations of %s", a.name, count, inBlocks(blocks)),
		setting: fmt.Sprintf("$pbkdf2-%s$i=%d,l=%d$%s$", a.name, count, len(digest), encode(salt)), digest: digest,
		derive: func(_ *argon2.Arena, password []byte) ([]byte, error) {
			return pbkdf2.Key(a.made, string(password), salt, count, len(digest))
		},
	}, nil
}

// inBlocks says how often the iterations are done: the result takes as many blocks.
func inBlocks(n int) string {
	if n == 1 {
		return "1 block"
	}
	return fmt.Sprintf("%d blocks", n)
}

// parsePBKDF2Django reads 1000000$<salt as text>$<digest>.
func parsePBKDF2Django(a algorithm, rest string) (Hash, error) {
	parts, err := split(rest, 3)
	if err != nil {
		return Hash{}, err
	}
	_, digest, err := decodeBoth("", parts[2])
	if err != nil {
		return Hash{}, err
	}
	return pbkdf2Hash(a, parts[0], []byte(parts[1]), digest)
}

// parsePBKDF2Werkzeug reads 1000000$<salt as text>$<digest in hex>.
func parsePBKDF2Werkzeug(a algorithm, rest string) (Hash, error) {
	parts, err := split(rest, 3)
	if err != nil {
		return Hash{}, err
	}
	digest, err := hex.DecodeString(parts[2])
	if err != nil {
		return Hash{}, ErrForm
	}
	return parsePBKDF2Django(a, parts[0]+"$"+parts[1]+"$"+encode(digest))
}
