package signingkey

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/go-jose/go-jose/v4"
)

var errForeign = errors.New("no key of this installation has signed the token")

// Verify decodes the claims of a token of the type that a published key has
// signed. It does not look at the claims: the token may have expired. It returns
// Unavailable if the keys of the algorithm are not loaded yet.
func (k *Keeper) Verify(token, typ string, claims any) error {
	return k.verify(token, typ, claims, false)
}

// VerifyPast is Verify, for tokens of former keys too. It is not for a token that gives access: whoever has got
// hold of a former key could make one.
func (k *Keeper) VerifyPast(token, typ string, claims any) error {
	return k.verify(token, typ, claims, true)
}

func (k *Keeper) verify(token, typ string, claims any, past bool) error {
	named, payload, err := k.verified(token, past)
	if err != nil {
		return err
	}
	if named != typ {
		return errForeign
	}
	return json.Unmarshal(payload, claims)
}

// Signed reports whether a published key has signed a token, of whatever type, or may have: before the first Load,
// nobody can tell.
func (k *Keeper) Signed(token string) bool {
	_, _, err := k.verified(token, false)
	return err == nil || errors.Is(err, Unavailable)
}

// verified returns the type and the claims of a token that a published key has signed, or with past a former one.
func (k *Keeper) verified(token string, past bool) (typ any, payload []byte, err error) {
	all := *k.all.Load()
	algorithms := make([]jose.SignatureAlgorithm, len(all))
	for i, s := range all {
		algorithms[i] = jose.SignatureAlgorithm(s.name())
	}
	signed, err := jose.ParseSignedCompact(token, algorithms)
	if err != nil {
		return nil, nil, err
	}
	header := signed.Signatures[0].Protected
	for _, s := range all {
		if s.name() != header.Algorithm {
			continue
		}
		set := s.open.Load()
		if set == nil {
			return nil, nil, Unavailable
		}
		now := s.clock.Now()
		published := slices.ContainsFunc(set.keys, func(key Key) bool { return key.ID == header.KeyID && set.published(key, now) })
		if set.private[header.KeyID] == nil || !past && !published {
			break
		}
		payload, err = signed.Verify(set.private[header.KeyID].Public())
		return header.ExtraHeaders[jose.HeaderType], payload, err
	}
	return nil, nil, errForeign
}
