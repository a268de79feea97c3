package signingkey

import (
	"encoding/json"
	"errors"

	"github.com/go-jose/go-jose/v4"
)

var errForeign = errors.New("no key of this installation has signed the token")

// Verify decodes the claims of a token of the type that a published key has
// signed. It does not look at the claims: the token may have expired.
func (k *Keeper) Verify(token, typ string, claims any) error {
	all := *k.all.Load()
	algorithms := make([]jose.SignatureAlgorithm, len(all))
	for i, s := range all {
		algorithms[i] = jose.SignatureAlgorithm(s.name())
	}
	signed, err := jose.ParseSignedCompact(token, algorithms)
	if err != nil {
		return err
	}
	header := signed.Signatures[0].Protected
	if header.ExtraHeaders[jose.HeaderType] != typ {
		return errForeign
	}
	for _, s := range all {
		set := s.open.Load()
		if set == nil || s.name() != header.Algorithm || set.private[header.KeyID] == nil {
			continue
		}
		payload, err := signed.Verify(set.private[header.KeyID].Public())
		if err != nil {
			return err
		}
		return json.Unmarshal(payload, claims)
	}
	return errForeign
}
