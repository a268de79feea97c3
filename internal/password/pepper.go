package password

import (
	"encoding/base64"
	"fmt"

	"portico/internal/password/argon2"
	"portico/internal/secret"
)

// keyIDSize in bytes: enough to tell the few keys of one installation apart,
// and within the eight bytes that the PHC format allows.
const keyIDSize = 6

// pepper is the keyed step of one master key.
type pepper struct {
	id  string
	mac *secret.MAC
}

func newPepper(key *secret.Key) pepper {
	id := key.MAC("password key id").Sum()[:keyIDSize]
	return pepper{id: base64.RawStdEncoding.EncodeToString(id), mac: key.MAC("password pepper")}
}

// tag returns what is stored for a password: Argon2id, then the keyed step.
func (p pepper) tag(arena *argon2.Arena, text string, h hash) ([]byte, error) {
	plain, err := derive(arena, text, h.salt, h.cost)
	if err != nil {
		return nil, err
	}
	defer clear(plain)
	return p.mac.Sum(string(plain)), nil
}

// pepperOf returns the keyed step that a stored hash names. A missing key is a
// distinct error, so that a lost key file does not look like a thousand
// forgotten passwords.
func (s *Service) pepperOf(id string) (pepper, error) {
	for _, p := range s.peppers {
		if p.id == id {
			return p, nil
		}
	}
	return pepper{}, fmt.Errorf("password: the hash was made with the master key %s, which is not configured: restore that key file", id)
}
