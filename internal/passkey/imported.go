package passkey

import (
	"cmp"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"portico/internal/ids"
	"portico/internal/secret"
)

// Foreign is a passkey as another system stores it. Its binary values are base64url without padding.
type Foreign struct {
	Credential, PublicKey, Handle, Model string
	Name                                 string
	Transports                           []string
	Counter                              int64
	Copies                               *bool // nil: not told
	Copied                               bool
}

// Import returns a passkey that was made for this host in another system, since a time. An
// authenticator tells the handle at each sign-in, so that a passkey without one cannot be used.
func (k *Keeper) Import(accountID string, f Foreign, at time.Time) (Passkey, error) {
	b, err := parts(part{"id", f.Credential, maxID}, part{"public_key", f.PublicKey, maxAuthData}, part{"user_handle", f.Handle, maxHandle})
	if err != nil {
		return Passkey{}, errors.Unwrap(err)
	}
	if err := checkKey(b[1]); err != nil {
		return Passkey{}, errors.New("the public_key is not one of a passkey (COSE)")
	}
	if f.Counter < 0 || f.Counter > 1<<32-1 {
		return Passkey{}, errors.New("the sign_count is not one of an authenticator")
	}
	model, copies, copied := modelText(f.Model), false, true
	if f.Copies != nil {
		copies, copied = *f.Copies, *f.Copies && f.Copied
	}
	return Passkey{
		ID: ids.New(), AccountID: accountID, Credential: b[0], PublicKey: b[1], Handle: b[2], Host: k.host, Name: cmp.Or(f.Name, ModelName(model)), Model: model,
		Transports: transports(strings.Join(f.Transports, " ")), Counter: f.Counter, Copies: copies, Copied: copied, CreatedAt: at, UsedAt: at,
	}, nil
}

// modelText returns the AAGUID in its usual form, from hexadecimal digits with or without hyphens or from
// base64url. It returns "" for anything else.
func modelText(text string) string {
	b, err := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
	if err != nil {
		b, _ = secret.Decode(text)
	}
	return modelOf(b)
}
