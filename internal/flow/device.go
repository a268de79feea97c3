package flow

import (
	"context"
	"slices"
	"strings"

	"portico/internal/account"
	"portico/internal/ids"
	"portico/internal/secret"
)

// device returns a device cookie for a browser that an account was signed in to with.
// Later the cookie shows that the account knows the browser. It holds an id and a keyed
// hash of the id, the account, its credential version and its authenticator apps. It
// grants no access: known browsers only have limits apart from all others.
//
// A new password and a new authenticator app make all browsers unknown. A thief may
// have signed in with many while the password was enough.
func (f *core) device(ctx context.Context, tx Tx, a account.Account) (string, error) {
	id := ids.New()
	signed, err := f.deviceParts(ctx, tx, id, a)
	return id + "." + secret.Encode(f.devices.Sum(signed...)), err
}

// knownDevice returns the id of the caller's browser if the account knows it, else "".
// Without a device cookie it reads nothing. With one it reads the same for an address
// without an account.
func (f *core) knownDevice(ctx context.Context, tx Tx, c Caller, a *account.Account) (string, error) {
	id, text, ok := strings.Cut(c.Device, ".")
	mac, encoded := secret.Decode(text)
	if !ok || !encoded {
		return "", nil
	}
	var of account.Account
	if a != nil {
		of = *a
	}
	signed, err := f.deviceParts(ctx, tx, id, of)
	if err != nil || !f.devices.Is(mac, signed...) || a == nil {
		return "", err
	}
	return id, nil
}

// deviceParts returns what the keyed hash of a device cookie is made of.
func (f *core) deviceParts(ctx context.Context, tx Tx, id string, a account.Account) ([]string, error) {
	apps, err := tx.FactorsOf(ctx, a.ID)
	var names []string
	for _, each := range apps {
		names = append(names, each.ID)
	}
	slices.Sort(names)
	return append([]string{id, a.ID, version(a)}, names...), err
}
