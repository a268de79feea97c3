package signingkey

import (
	"encoding/json"

	"github.com/go-jose/go-jose/v4"
)

// Signer returns the id of the key that signs now, "" when there is none.
func (k *Keeper) Signer() string {
	set := k.open.Load()
	if set == nil {
		return ""
	}
	signer, _ := set.signer(k.clock.Now())
	return signer.ID
}

// Sign returns the claims as a JWT of the type (RFC 7519, RFC 8725 3.11), and the
// id of its key; or Unavailable.
func (k *Keeper) Sign(claims any, typ string) (token, id string, err error) {
	set := k.open.Load()
	if set == nil {
		return "", "", Unavailable
	}
	key, ok := set.signer(k.clock.Now())
	private := set.private[key.ID]
	if !ok || private == nil {
		return "", "", Unavailable
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", "", err
	}
	signer, err := jose.NewSigner(
		jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: private, KeyID: key.ID}},
		(&jose.SignerOptions{}).WithType(jose.ContentType(typ)))
	if err != nil {
		return "", "", err
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		return "", "", err
	}
	token, err = signed.CompactSerialize()
	return token, key.ID, err
}

// Published returns the set that verifiers fetch (JWK Set, RFC 7517 5).
func (k *Keeper) Published() ([]byte, error) {
	set := k.open.Load()
	if set == nil {
		return nil, Unavailable
	}
	now := k.clock.Now()
	list := jose.JSONWebKeySet{Keys: []jose.JSONWebKey{}}
	for _, key := range set.keys {
		if private := set.private[key.ID]; private != nil && set.published(key, now) {
			list.Keys = append(list.Keys, jose.JSONWebKey{Key: private.Public(), KeyID: key.ID, Algorithm: string(jose.ES256), Use: "sig"})
		}
	}
	return json.Marshal(list)
}
