package secret

import (
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
)

// Key is the master key. While it is being changed, it holds two: one seals and
// makes keyed hashes, and both open and verify. It is safe for concurrent use, and
// boxes and keyed hashes follow when it changes.
type Key struct {
	set *atomic.Pointer[set]
}

// set is the master keys at one moment. The first is the current one.
type set struct{ masters []master }

type master struct {
	id    string
	bytes []byte
}

func newKey(b []byte) *Key {
	m := master{bytes: b}
	m.id = base64.RawStdEncoding.EncodeToString(sum(m.derive("mac password key id"), nil)[:idSize])
	return keyOf([]master{m})
}

func keyOf(masters []master) *Key {
	k := &Key{set: &atomic.Pointer[set]{}}
	k.set.Store(&set{masters})
	return k
}

// idSize in bytes is enough to tell the few keys of one installation apart, and
// within the eight bytes that a stored password hash allows.
const idSize = 6

// Format keeps the key out of logs and errors, whatever the verb.
func (Key) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "secret.Key") }

// ID returns the public name of the current master key. It tells nothing about the
// key.
func (k *Key) ID() string { return k.set.Load().masters[0].id }

// IDs returns the names of all master keys, the current one first.
func (k *Key) IDs() (ids []string) {
	for _, m := range k.set.Load().masters {
		ids = append(ids, m.id)
	}
	return ids
}

// With returns a Key that also holds the master keys of others.
func (k *Key) With(others ...*Key) *Key {
	all := slices.Clone(k.set.Load().masters)
	for _, other := range others {
		for _, m := range other.set.Load().masters {
			if !slices.ContainsFunc(all, func(have master) bool { return have.id == m.id }) {
				all = append(all, m)
			}
		}
	}
	return keyOf(all)
}

// Use makes the master key with the id the current one, and reports whether it is
// there. Concurrent calls of Use and Replace need a lock.
func (k *Key) Use(id string) bool {
	now := k.set.Load().masters
	at := slices.IndexFunc(now, func(m master) bool { return m.id == id })
	if at > 0 {
		k.set.Store(&set{append([]master{now[at]}, slices.Delete(slices.Clone(now), at, at+1)...)})
	}
	return at >= 0
}

// Version differs whenever a Key has other master keys or another order of them.
type Version struct{ of *set }

// Version returns the version of the key that m is made of.
func (m *MAC) Version() Version { return Version{m.of.key.set.Load()} }

// Replace takes the master keys of another Key in place of its own.
func (k *Key) Replace(by *Key) { k.set.Store(by.set.Load()) }

// derive returns the key of a purpose.
func (m master) derive(purpose string) []byte {
	b, err := hkdf.Key(sha256.New, m.bytes, nil, "portico "+purpose, keySize)
	if err != nil {
		panic(err) // fails only for lengths that HKDF cannot give; ours is constant
	}
	return b
}

// derived is what is made of each master key for one purpose, in the order of the
// set. It is made when it is first needed.
type derived[T any] struct {
	key    *Key
	derive func(master) T
	made   atomic.Pointer[made[T]]
}

type made[T any] struct {
	of     *set
	values []T
}

func (d *derived[T]) all() *made[T] {
	now := d.key.set.Load()
	if m := d.made.Load(); m != nil && m.of == now {
		return m
	}
	m := &made[T]{of: now}
	for _, one := range now.masters {
		m.values = append(m.values, d.derive(one))
	}
	d.made.Store(m)
	return m
}
