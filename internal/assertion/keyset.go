package assertion

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"errors"
	"fmt"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/json"
)

const (
	maxKeys    = 20
	minRSABits = 2048
)

// Algorithms returns the algorithms that clients may sign with.
func Algorithms() []string {
	var names []string
	for _, a := range algorithms() {
		names = append(names, string(a))
	}
	return names
}

func algorithms() []jose.SignatureAlgorithm {
	return []jose.SignatureAlgorithm{jose.ES256, jose.PS256, jose.RS256, jose.EdDSA}
}

// Keys are the public keys of a client.
type Keys struct{ list []jose.JSONWebKey }

// ParseKeys reads a set of keys (RFC 7517 5). It skips keys of a kind that no algorithm
// of ours has, as the RFC demands, and refuses a set with a private key.
func ParseKeys(text []byte) (Keys, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if json.Unmarshal(text, &set) != nil || set.Keys == nil {
		return Keys{}, errors.New("it is not a JSON Web Key Set")
	}
	if len(set.Keys) > maxKeys {
		return Keys{}, fmt.Errorf("it has %d keys, more than %d", len(set.Keys), maxKeys)
	}
	var keys Keys
	for _, raw := range set.Keys {
		var key jose.JSONWebKey
		if json.Unmarshal(raw, &key) != nil || key.Use != "" && key.Use != "sig" {
			continue
		}
		if !key.IsPublic() {
			return Keys{}, errors.New("it has a key that is not public")
		}
		if len(kinds(key)) > 0 {
			keys.list = append(keys.list, key)
		}
	}
	if len(keys.list) == 0 {
		return Keys{}, errors.New("it has no key for ES256, PS256, RS256 or EdDSA")
	}
	return keys, nil
}

// kinds returns the algorithms that a public key may verify.
func kinds(key jose.JSONWebKey) []jose.SignatureAlgorithm {
	var all []jose.SignatureAlgorithm
	switch k := key.Key.(type) {
	case *ecdsa.PublicKey:
		if k.Curve == elliptic.P256() {
			all = append(all, jose.ES256)
		}
	case *rsa.PublicKey:
		if k.N.BitLen() >= minRSABits {
			all = append(all, jose.PS256, jose.RS256)
		}
	case ed25519.PublicKey:
		all = append(all, jose.EdDSA)
	}
	return all
}

// verify returns the payload of a statement if one of the keys has signed it. It takes
// only the key id and the algorithm from the header. A key or an address of keys there
// may be an attacker's (RFC 8725 3.10).
func (keys Keys) verify(signed *jose.JSONWebSignature) ([]byte, bool) {
	header := signed.Signatures[0].Protected
	for _, key := range keys.list {
		if header.KeyID != "" && key.KeyID != header.KeyID || !fits(key, header.Algorithm) {
			continue
		}
		if payload, err := signed.Verify(key.Key); err == nil {
			return payload, true
		}
	}
	return nil, false
}

func fits(key jose.JSONWebKey, algorithm string) bool {
	if key.Algorithm != "" && key.Algorithm != algorithm {
		return false
	}
	for _, kind := range kinds(key) {
		if string(kind) == algorithm {
			return true
		}
	}
	return false
}
