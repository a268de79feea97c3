package secret

import (
	"maps"
	"sync/atomic"
)

// kept are keys of one keyed hash whose master keys are gone, by the id of the
// master key.
type kept struct {
	keys atomic.Pointer[map[string][]byte]
}

// SumOf returns the keyed hash under the master key with the id, or under a key
// that Keep has kept of it. It returns false without either.
func (m *MAC) SumOf(id string, parts ...string) ([]byte, bool) {
	key, ok := m.keyOf(id)
	if !ok {
		return nil, false
	}
	return sum(key, parts), true
}

// Has reports whether SumOf knows the master key.
func (m *MAC) Has(id string) bool {
	_, ok := m.keyOf(id)
	return ok
}

func (m *MAC) keyOf(id string) ([]byte, bool) {
	all := m.of.all()
	for i, one := range all.of.masters {
		if one.id == id {
			return all.values[i], true
		}
	}
	if keys := m.kept.keys.Load(); keys != nil {
		key, ok := (*keys)[id]
		return key, ok
	}
	return nil, false
}

// Seal returns the key of this keyed hash under the master key with the id, sealed
// for the context. Keep takes it once that master key is gone. It gives no access
// to any other key that was made of the master key.
func (m *MAC) Seal(box *Box, id string) ([]byte, bool) {
	key, ok := m.keyOf(id)
	if !ok {
		return nil, false
	}
	return box.Seal(key, id), true
}

// Keep lets SumOf work for a master key that is gone. Calls need a lock.
func (m *MAC) Keep(box *Box, id string, sealed []byte) error {
	key, err := box.Open(sealed, id)
	if err != nil {
		return err
	}
	next := map[string][]byte{id: key}
	if before := m.kept.keys.Load(); before != nil {
		for name, value := range maps.All(*before) {
			if name != id {
				next[name] = value
			}
		}
	}
	m.kept.keys.Store(&next)
	return nil
}
