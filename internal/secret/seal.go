package secret

import (
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"

	"golang.org/x/crypto/chacha20poly1305"
)

// ErrOpen says that sealed data was made with another key, purpose or context,
// or was changed.
var ErrOpen = errors.New("sealed data cannot be opened")

// Box seals data for one purpose (XChaCha20-Poly1305 with random 192-bit
// nonces, which do not repeat in practice). It is safe for concurrent use.
type Box struct {
	of *derived[cipher.AEAD]
}

// Box returns the box of a purpose.
func (k *Key) Box(purpose string) *Box {
	return &Box{&derived[cipher.AEAD]{key: k, derive: func(m master) cipher.AEAD {
		aead, err := chacha20poly1305.NewX(m.derive("box " + purpose))
		if err != nil {
			panic(err) // fails only for key lengths that derive never gives
		}
		return aead
	}}}
}

// Seal encrypts data. Open needs the same context, such as the id of the row,
// so that sealed data cannot be moved elsewhere.
func (b *Box) Seal(data []byte, context string) []byte {
	aead := b.of.all().values[0]
	nonce := make([]byte, aead.NonceSize(), aead.NonceSize()+len(data)+aead.Overhead())
	_, _ = rand.Read(nonce)
	return aead.Seal(nonce, nonce, data, []byte(context))
}

// Open returns the data that Seal encrypted, or ErrOpen.
func (b *Box) Open(sealed []byte, context string) ([]byte, error) {
	data, _, err := b.open(sealed, context)
	return data, err
}

// open also returns the place of the master key that has sealed the data.
func (b *Box) open(sealed []byte, context string) (data []byte, place int, err error) {
	for place, aead := range b.of.all().values {
		n := aead.NonceSize()
		if len(sealed) < n {
			break
		}
		if data, err := aead.Open(nil, sealed[:n], sealed[n:], []byte(context)); err == nil {
			return data, place, nil
		}
	}
	return nil, 0, ErrOpen
}

// Renew seals data again if another master key than the current one has sealed it.
// It returns false if the current one has, or ErrOpen.
func (b *Box) Renew(sealed []byte, context string) (renewed []byte, changed bool, err error) {
	data, place, err := b.open(sealed, context)
	if err != nil || place == 0 {
		return sealed, false, err
	}
	return b.Seal(data, context), true, nil
}

// MAC makes keyed hashes for one purpose (HMAC-SHA-256). It is safe for
// concurrent use.
type MAC struct {
	of   *derived[[]byte]
	kept *kept
}

// MAC returns the keyed hash of a purpose.
func (k *Key) MAC(purpose string) *MAC {
	return &MAC{of: &derived[[]byte]{key: k, derive: func(m master) []byte { return m.derive("mac " + purpose) }}, kept: &kept{}}
}

// Format keeps the key out of logs and errors, whatever the verb.
func (MAC) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "secret.MAC") }

// Sum returns the keyed hash of the parts.
func (m *MAC) Sum(parts ...string) []byte { return sum(m.of.all().values[0], parts) }

// Sums returns the keyed hashes of the parts under all master keys, the result of
// Sum first.
func (m *MAC) Sums(parts ...string) [][]byte {
	keys := m.of.all().values
	all := make([][]byte, len(keys))
	for i, key := range keys {
		all[i] = sum(key, parts)
	}
	return all
}

// Is reports whether hash is the keyed hash of the parts under one of the master
// keys.
func (m *MAC) Is(hash []byte, parts ...string) bool {
	is := false
	for _, key := range m.of.all().values {
		is = Equal(hash, sum(key, parts)) || is
	}
	return is
}

// sum writes the length of each part before the part, so that two different lists
// never give the same input.
func sum(key []byte, parts []string) []byte {
	h := hmac.New(sha256.New, key)
	for _, p := range parts {
		n := len(p)
		h.Write([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
		h.Write([]byte(p))
	}
	return h.Sum(nil)
}

// Equal compares two secrets or hashes in constant time.
func Equal(a, b []byte) bool { return subtle.ConstantTimeCompare(a, b) == 1 }
