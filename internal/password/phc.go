package password

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// errHash says that a stored hash has an unknown form. It does not show the
// hash, because errors reach the log.
var errHash = errors.New("password: the stored hash is not one of ours")

const (
	longestHash = 256 // bytes of a PHC string: ours has 116
	longestSalt = 64  // bytes
)

// hash is a stored hash in its parts.
type hash struct {
	cost  Cost
	keyID string
	salt  []byte
	tag   []byte
}

// String returns the PHC string
// (https://github.com/P-H-C/phc-string-format/blob/master/phc-sf-spec.md).
func (h hash) String() string {
	b64 := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=19$%s,p=%d,keyid=%s$%s$%s", h.cost, lanes, h.keyID, b64(h.salt), b64(h.tag))
}

// parse is the inverse of String. It accepts only the exact spelling of String,
// so that one hash has one form.
func parse(encoded string) (hash, error) {
	if len(encoded) > longestHash {
		return hash{}, errHash
	}
	parts := strings.Split(encoded, "$")
	if len(parts) != 6 {
		return hash{}, errHash
	}
	var h hash
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=1,keyid=%s", &h.cost.Memory, &h.cost.Passes, &h.keyID); err != nil {
		return hash{}, errHash
	}
	var saltErr, tagErr error
	h.salt, saltErr = base64.RawStdEncoding.DecodeString(parts[4])
	h.tag, tagErr = base64.RawStdEncoding.DecodeString(parts[5])
	if saltErr != nil || tagErr != nil || h.String() != encoded {
		return hash{}, errHash
	}
	if h.cost.from(least()) != nil || len(h.salt) < 8 || len(h.salt) > longestSalt || len(h.tag) != tagSize {
		return hash{}, errHash
	}
	return h, nil
}

// Ours reports whether Hash has made a stored hash, under a master key that is configured.
func (s *Service) Ours(encoded string) bool {
	h, err := parse(encoded)
	return err == nil && s.pepper.Has(h.keyID)
}
