package federation

import (
	"context"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-jose/go-jose/v4"
)

const (
	maxKeys    = 100
	minRSABits = 2048
)

// signingKey is a key that the provider publishes. Microsoft says for each of
// its keys which issuer may use it; other providers leave issuer empty.
type signingKey struct {
	jose.JSONWebKey
	issuer string
}

// loadKeys loads the provider's key set (RFC 7517 5). It skips keys that are not
// public signing keys of an accepted kind, as the RFC demands: one unknown key
// must not lock everyone out.
func (p *provider) loadKeys(ctx context.Context) ([]signingKey, error) {
	meta, err := p.metadata.Current(ctx)
	if err != nil {
		return nil, err
	}
	body, err := p.fetch(ctx, meta.keys, "")
	if err != nil {
		return nil, err
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(body, &set); err != nil {
		return nil, fmt.Errorf("read the key set: %w", err)
	}
	if len(set.Keys) > maxKeys {
		return nil, fmt.Errorf("the key set has %d keys, more than %d", len(set.Keys), maxKeys)
	}
	var keys []signingKey
	for _, raw := range set.Keys {
		var key signingKey
		var extra struct {
			Issuer string `json:"issuer"`
		}
		if json.Unmarshal(raw, &key.JSONWebKey) != nil || json.Unmarshal(raw, &extra) != nil || !usable(key.JSONWebKey) {
			continue
		}
		key.issuer = extra.Issuer
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, errors.New("the key set has no usable key")
	}
	return keys, nil
}

func usable(key jose.JSONWebKey) bool {
	if !key.IsPublic() || key.Use != "" && key.Use != "sig" {
		return false
	}
	r, isRSA := key.Key.(*rsa.PublicKey)
	return !isRSA || r.N.BitLen() >= minRSABits
}

// verify returns the payload of a token and the key that signed it. It takes only
// the key id from the token's header. A key or an address of keys there may be
// the attacker's (RFC 8725 3.10).
func verify(token *jose.JSONWebSignature, keys []signingKey) ([]byte, signingKey, bool) {
	header := token.Signatures[0].Protected
	for _, key := range keys {
		if header.KeyID != "" && key.KeyID != header.KeyID || key.Algorithm != "" && key.Algorithm != header.Algorithm {
			continue
		}
		if payload, err := token.Verify(key.Key); err == nil {
			return payload, key, true
		}
	}
	return nil, signingKey{}, false
}
