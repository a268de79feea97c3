package password

import (
	"fmt"

	"portico/internal/password/argon2"
)

// tag returns what is stored for a password: Argon2id, then a keyed hash under the
// master key that h names. A missing key is a distinct error, so that a lost key
// file does not look like a thousand forgotten passwords.
func (s *Service) tag(arena *argon2.Arena, text string, h hash) ([]byte, error) {
	plain, err := derive(arena, text, h.salt, h.cost)
	if err != nil {
		return nil, err
	}
	defer clear(plain)
	tag, ok := s.pepper.SumOf(h.keyID, string(plain))
	if !ok {
		return nil, errNoKey(h.keyID)
	}
	return tag, nil
}

func errNoKey(id string) error {
	return fmt.Errorf("password: the hash was made with the master key %s, which is not configured: restore that key file", id)
}

// Former returns what Remember needs to verify the hashes of a master key once it
// is gone, sealed. It returns false if there is no such key.
func (s *Service) Former(id string) (sealed []byte, ok bool) { return s.pepper.Seal(s.formers, id) }

// Remember lets hashes of a master key that is gone verify. Calls need a lock.
func (s *Service) Remember(id string, sealed []byte) error {
	return s.pepper.Keep(s.formers, id, sealed)
}
