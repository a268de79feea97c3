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
	aead cipher.AEAD
}

// Box returns the box of a purpose.
func (k *Key) Box(purpose string) *Box {
	aead, err := chacha20poly1305.NewX(k.derive("box " + purpose))
	if err != nil {
		panic(err) // fails only for key lengths that derive never gives
	}
	return &Box{aead: aead}
}

// Seal encrypts data. Open needs the same context, such as the id of the row,
// so that sealed data cannot be moved elsewhere.
func (b *Box) Seal(data []byte, context string) []byte {
	nonce := make([]byte, b.aead.NonceSize(), b.aead.NonceSize()+len(data)+b.aead.Overhead())
	_, _ = rand.Read(nonce)
	return b.aead.Seal(nonce, nonce, data, []byte(context))
}

// Open returns the data that Seal encrypted, or ErrOpen.
func (b *Box) Open(sealed []byte, context string) ([]byte, error) {
	n := b.aead.NonceSize()
	if len(sealed) < n {
		return nil, ErrOpen
	}
	data, err := b.aead.Open(nil, sealed[:n], sealed[n:], []byte(context))
	if err != nil {
		return nil, ErrOpen
	}
	return data, nil
}

// MAC makes keyed hashes for one purpose (HMAC-SHA-256). It is safe for
// concurrent use.
type MAC struct {
	key []byte
}

// MAC returns the keyed hash of a purpose.
func (k *Key) MAC(purpose string) *MAC {
	return &MAC{key: k.derive("mac " + purpose)}
}

// Format keeps the key out of logs and errors, whatever the verb.
func (MAC) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "secret.MAC") }

// Sum returns the keyed hash of the parts. It writes the length of each part
// before the part, so that two different lists never give the same input.
func (m *MAC) Sum(parts ...string) []byte {
	h := hmac.New(sha256.New, m.key)
	for _, p := range parts {
		n := len(p)
		h.Write([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
		h.Write([]byte(p))
	}
	return h.Sum(nil)
}

// Equal compares two secrets or hashes in constant time.
func Equal(a, b []byte) bool { return subtle.ConstantTimeCompare(a, b) == 1 }
