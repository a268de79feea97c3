package cli

import (
	"fmt"

	"portico/internal/password"
)

// importHashes takes the hashes of an import, and warns once of each kind that is more expensive
// than Portico's.
type importHashes struct {
	*session
	passwords *password.Service
	kinds     map[string]bool // that were weighed
}

const (
	mostKinds = 100
	tells     = 1.1 // times the time of an own hash, from which on a network shows it
)

func (h importHashes) adopt(text string) (stored string, err error) {
	stored, kind, err := h.passwords.Adopt(text)
	if err != nil || h.kinds[kind] || len(h.kinds) == mostKinds {
		return stored, err
	}
	h.kinds[kind] = true
	if times, err := h.passwords.Weigh(h, stored); err == nil && times > tells {
		complain(h.Stderr, fmt.Sprintf("warning: %s takes %.1f times as long as a hash of Portico. Until its owner signs in, the time of a wrong password tells that the address has an account. A higher hashing.passes hides it: see docs/operating/hashing.md", kind, times))
	}
	return stored, nil
}
