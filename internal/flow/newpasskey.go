package flow

import (
	"context"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/ids"
	"portico/internal/passkey"
)

// CreationOptions is what a browser needs to make a passkey.
type CreationOptions struct {
	PasskeyAsk
	Handle  []byte
	Address string
	Name    string
	Exclude []passkey.Passkey // the account's own, of which no authenticator gets a second one
}

// creationOptions returns what a browser needs to make a passkey of the account. The answer
// counts for the subject only.
func (f *core) creationOptions(ctx context.Context, tx Tx, a account.Account, p passkey.Purpose, browser, subject string) (CreationOptions, error) {
	have, err := tx.PasskeysOf(ctx, a.ID)
	if err != nil {
		return CreationOptions{}, err
	}
	if len(have) >= passkey.Most {
		return CreationOptions{}, passkey.Full
	}
	return CreationOptions{
		PasskeyAsk: PasskeyAsk{Challenge: f.passkeys.Challenge(p, browser, subject), Host: f.passkeys.Host()},
		Handle:     f.passkeys.Handle(a.ID, have), Address: a.Address.Mail, Name: a.Name, Exclude: have,
	}, nil
}

// insertPasskey stores a new passkey under an id of its own, and tells the owner.
func (f *core) insertPasskey(ctx context.Context, tx Tx, c Caller, a *cleared, p passkey.Passkey) error {
	have, err := tx.PasskeysOf(ctx, a.ID)
	if err != nil {
		return err
	}
	if len(have) >= passkey.Most {
		return passkey.Full
	}
	p.ID = ids.New()
	ok, err := tx.InsertPasskey(ctx, p)
	switch {
	case err != nil:
		return err
	case !ok:
		return passkey.Exists
	}
	if err := f.endFlows(ctx, tx, a); err != nil {
		return err
	}
	return f.note(ctx, tx, c, a.Account, audit.PasskeyAdded, p.Model, mailPasskeyAdded)
}
