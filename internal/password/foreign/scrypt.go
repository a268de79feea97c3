package foreign

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/hex"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"golang.org/x/crypto/scrypt"
	"golang.org/x/text/unicode/norm"

	"portico/internal/password/argon2"
)

const mostScrypt = 1 << 22 // N times r times p

// scryptCost is the cost of a hash (RFC 7914 2).
type scryptCost struct{ log, r, p int }

// newScryptCost judges the parameters. Each is checked alone first, so that no product overflows.
func newScryptCost(log, r, p string) (c scryptCost, err error) {
	if c.log, err = within(log, "a logarithm of N", 1, 21); err != nil {
		return c, err
	}
	if c.r, err = within(r, "a block size", 1, 64); err != nil {
		return c, err
	}
	if c.p, err = within(p, "a parallelism", 1, 64); err != nil {
		return c, err
	}
	if memory := uint64(c.memory()); memory > mostMemory {
		return c, tooDear("a memory in KiB", memory, 1, mostMemory)
	}
	if work := uint64(c.r*c.p) << c.log; work > mostScrypt {
		return c, tooDear("a work (N*r*p)", work, 1, mostScrypt)
	}
	return c, nil
}

func (c scryptCost) memory() uint32 { return uint32(c.r << c.log / 8) }

func (c scryptCost) key(password, salt []byte, size int) ([]byte, error) {
	return scrypt.Key(password, salt, 1<<c.log, c.r, c.p, size)
}

// parseScrypt reads ln=14,r=8,p=1$<salt>$<digest>. Kratos writes N in place of its logarithm.
func parseScrypt(prefix string, form norm.Form, rest string) (Hash, error) {
	parts, err := split(rest, 3)
	if err != nil {
		return Hash{}, err
	}
	values, err := params(parts[0], "ln", "r", "p")
	if err != nil {
		return Hash{}, err
	}
	if n, err := strconv.ParseUint(values[0], 10, 63); err == nil && n > 63 {
		values[0] = logarithm(values[0])
	}
	c, err := newScryptCost(values[0], values[1], values[2])
	if err != nil {
		return Hash{}, err
	}
	salt, digest, err := decodeBoth(parts[1], parts[2])
	if err != nil {
		return Hash{}, err
	}
	return c.hash(prefix, form, salt, digest), nil
}

func (c scryptCost) hash(prefix string, form norm.Form, salt, digest []byte) Hash {
	return Hash{
		kind:   fmt.Sprintf("scrypt, N %d, r %d, p %d", 1<<c.log, c.r, c.p),
		memory: c.memory(), digest: digest, form: form,
		setting: fmt.Sprintf("%sln=%d,r=%d,p=%d$%s$", prefix, c.log, c.r, c.p, encode(salt)),
		derive: func(_ *argon2.Arena, password []byte) ([]byte, error) {
			return c.key(password, salt, len(digest))
		},
	}
}

// logarithm returns the logarithm of a power of two, else the text.
func logarithm(n string) string {
	v, err := strconv.ParseUint(n, 10, 63)
	if err != nil || bits.OnesCount64(v) != 1 {
		return n
	}
	return strconv.Itoa(bits.TrailingZeros64(v))
}

// parseScryptDjango reads <salt as text>$N$r$p$<digest>.
func parseScryptDjango(rest string) (Hash, error) {
	parts, err := split(rest, 5)
	if err != nil {
		return Hash{}, err
	}
	c, err := newScryptCost(logarithm(parts[1]), parts[2], parts[3])
	if err != nil {
		return Hash{}, err
	}
	_, digest, err := decodeBoth("", parts[4])
	return c.hash("$scrypt$", norm.NFC, []byte(parts[0]), digest), err
}

// parseScryptWerkzeug reads N:r:p$<salt as text>$<digest in hex>.
func parseScryptWerkzeug(rest string) (Hash, error) {
	parts, err := split(rest, 3)
	if err != nil {
		return Hash{}, err
	}
	digest, err := hex.DecodeString(parts[2])
	if err != nil {
		return Hash{}, ErrForm
	}
	return parseScryptDjango(parts[1] + "$" + strings.ReplaceAll(parts[0], ":", "$") + "$" + encode(digest))
}

// parseFirebase reads ln=14,r=8$<salt>$<separator>$<signer key>$<digest>. The digest is the
// signer key of the project, encrypted under the key that scrypt makes of the password.
func parseFirebase(rest string) (Hash, error) {
	parts, err := split(rest, 5)
	if err != nil {
		return Hash{}, err
	}
	values, err := params(parts[0], "ln", "r")
	if err != nil {
		return Hash{}, err
	}
	c, err := newScryptCost(values[0], values[1], "1")
	if err != nil {
		return Hash{}, err
	}
	separator, separatorErr := decode(parts[2])
	signer, signerErr := decode(parts[3])
	salt, digest, err := decodeBoth(parts[1], parts[4])
	if separatorErr != nil || signerErr != nil || err != nil || len(signer) != len(digest) {
		return Hash{}, ErrForm
	}
	return Hash{
		kind:   fmt.Sprintf("Firebase scrypt, N %d, r %d", 1<<c.log, c.r),
		memory: c.memory(), digest: digest,
		setting: fmt.Sprintf("$firebase-scrypt$ln=%d,r=%d$%s$%s$%s$", c.log, c.r, encode(salt), encode(separator), encode(signer)),
		derive: func(_ *argon2.Arena, password []byte) ([]byte, error) {
			key, err := c.key(password, append(salt[:len(salt):len(salt)], separator...), 32)
			if err != nil {
				return nil, err
			}
			block, err := aes.NewCipher(key)
			clear(key)
			if err != nil {
				return nil, err
			}
			out := make([]byte, len(signer))
			cipher.NewCTR(block, make([]byte, aes.BlockSize)).XORKeyStream(out, signer)
			return out, nil
		},
	}, nil
}

// parseFirescrypt reads the form of Kratos: ln=14,r=8,p=1$<salt>$<digest>$<separator>$<signer key>.
func parseFirescrypt(rest string) (Hash, error) {
	parts, err := split(rest, 5)
	if err != nil {
		return Hash{}, err
	}
	cost, ok := strings.CutSuffix(parts[0], ",p=1")
	if !ok {
		return Hash{}, ErrForm
	}
	return parseFirebase(strings.Join([]string{cost, parts[1], parts[3], parts[4], parts[2]}, "$"))
}
