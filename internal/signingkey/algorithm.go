package signingkey

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"sync/atomic"

	"github.com/go-jose/go-jose/v4"
)

// generations is how many generations each algorithm has for itself, so that all
// keys share one table.
const generations = 1 << 32

// algorithm is how keys of a series are made.
type algorithm interface {
	name() string // in JOSE
	first() int64 // its first generation
	prepare()     // makes the slow part of generate beforehand
	generate() (crypto.Signer, error)
	fits(private crypto.Signer) bool
}

type es256 struct{}

func (es256) name() string { return string(jose.ES256) }
func (es256) first() int64 { return 1 }
func (es256) prepare()     {}

func (es256) generate() (crypto.Signer, error) {
	return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
}

func (es256) fits(private crypto.Signer) bool {
	key, ok := private.(*ecdsa.PrivateKey)
	return ok && key.Curve == elliptic.P256()
}

// rsaBits is the size of RSA keys (NIST SP 800-57: sufficient until 2030).
const rsaBits = 2048

type edDSA struct{}

func (edDSA) name() string { return string(jose.EdDSA) }
func (edDSA) first() int64 { return 1 + 2*generations }
func (edDSA) prepare()     {}

func (edDSA) generate() (crypto.Signer, error) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	return private, err
}

func (edDSA) fits(private crypto.Signer) bool {
	_, ok := private.(ed25519.PrivateKey)
	return ok
}

type rs256 struct {
	spare atomic.Pointer[rsa.PrivateKey]
}

func (*rs256) name() string { return string(jose.RS256) }
func (*rs256) first() int64 { return 1 + generations }

// prepare makes a key, which takes a tenth of a second.
func (a *rs256) prepare() {
	if a.spare.Load() == nil {
		if key, err := rsa.GenerateKey(rand.Reader, rsaBits); err == nil {
			a.spare.Store(key)
		}
	}
}

func (a *rs256) generate() (crypto.Signer, error) {
	if key := a.spare.Swap(nil); key != nil {
		return key, nil
	}
	return rsa.GenerateKey(rand.Reader, rsaBits)
}

func (*rs256) fits(private crypto.Signer) bool {
	key, ok := private.(*rsa.PrivateKey)
	return ok && key.N.BitLen() == rsaBits
}
