package signingkey

import (
	"bytes"
	"crypto"
	"encoding/json"
	"slices"

	"github.com/go-jose/go-jose/v4"
)

// Signer returns the id of the ES256 key that signs now, "" when there is none.
func (k *Keeper) Signer() string {
	_, id, _ := k.es256().signer()
	return id
}

// Sign returns the claims as a JWT of the type (RFC 7519, RFC 8725 3.11), signed
// with ES256, and the id of its key; or Unavailable.
func (k *Keeper) Sign(claims any, typ string) (token, id string, err error) {
	return k.es256().sign(claims, typ)
}

func (k *Keeper) es256() *series { return (*k.all.Load())[0] }

// Algorithms returns the algorithms that the Keeper has keys for, ES256 first.
func (k *Keeper) Algorithms() []string {
	var list []string
	for _, s := range *k.all.Load() {
		list = append(list, s.name())
	}
	return list
}

// SignBy is Sign with another algorithm. It returns Unavailable if the Keeper has
// no keys for it.
func (k *Keeper) SignBy(algorithm string, claims any, typ string) (token, id string, err error) {
	s, err := k.of(algorithm)
	if err != nil {
		return "", "", err
	}
	return s.sign(claims, typ)
}

// Ready returns Unavailable unless the Keeper can sign with all of the algorithms.
func (k *Keeper) Ready(algorithms ...string) error {
	for _, algorithm := range algorithms {
		s, err := k.of(algorithm)
		if err == nil {
			_, _, err = s.signer()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (k *Keeper) of(algorithm string) (*series, error) {
	for _, s := range *k.all.Load() {
		if s.name() == algorithm {
			return s, nil
		}
	}
	return nil, Unavailable
}

// signer returns the key that signs now, and its id.
func (s *series) signer() (private crypto.Signer, id string, err error) {
	set := s.open.Load()
	if set == nil {
		return nil, "", Unavailable
	}
	key, _ := set.signer(s.clock.Now())
	if private = set.private[key.ID]; private == nil {
		return nil, "", Unavailable
	}
	return private, key.ID, nil
}

func (s *series) sign(claims any, typ string) (token, id string, err error) {
	private, id, err := s.signer()
	if err != nil {
		return "", "", err
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", "", err
	}
	signer, err := jose.NewSigner(
		jose.SigningKey{Algorithm: jose.SignatureAlgorithm(s.name()), Key: jose.JSONWebKey{Key: private, KeyID: id}},
		(&jose.SignerOptions{}).WithType(jose.ContentType(typ)))
	if err != nil {
		return "", "", err
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		return "", "", err
	}
	token, err = signed.CompactSerialize()
	return token, id, err
}

// Published returns the set that verifiers fetch (JWK Set, RFC 7517 5).
func (k *Keeper) Published() ([]byte, error) {
	var list [][]byte
	for i, s := range *k.all.Load() {
		set := s.open.Load()
		switch {
		case set == nil && i == 0:
			return nil, Unavailable
		case set == nil:
			continue // Extend has just added it
		}
		now := s.clock.Now()
		for _, key := range set.keys {
			if public := set.public[key.ID]; public != nil && set.published(key, now) {
				list = append(list, public)
			}
		}
	}
	return slices.Concat([]byte(`{"keys":[`), bytes.Join(list, []byte(",")), []byte("]}")), nil
}
