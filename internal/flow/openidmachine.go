package flow

import (
	"context"

	"portico/internal/assertion"
	"portico/internal/openid"
)

// Employ returns an access token for a client itself. It writes nothing, except that it
// uses up a key proof. Its errors include openid.Error.
func (f *OpenID) Employ(ctx context.Context, client openid.Client, scopes string, resources []string, proof assertion.KeyProof) (access string, m openid.Machine, err error) {
	access, m, err = f.grants.Employ(client, scopes, resources, proof.Key)
	if err != nil {
		return "", openid.Machine{}, err
	}
	return access, m, f.SpendProof(ctx, proof)
}

// employed returns the content of an access token of a client itself, or false if the
// token does not work. signed is as for bearer.
func (f *OpenID) employed(ctx context.Context, access string, signed *openid.AccessClaims) (m openid.Machine, ok bool, err error) {
	if m, ok = f.machine(access, signed); !ok {
		return openid.Machine{}, false, nil
	}
	client, known := f.clients.Get(m.ClientID)
	if !known {
		return openid.Machine{}, false, nil
	}
	ok, err = read(ctx, f.store, func(tx Tx) (bool, error) { return f.grants.Employed(ctx, tx, client, m) })
	return m, ok, err
}

func (f *OpenID) machine(access string, signed *openid.AccessClaims) (openid.Machine, bool) {
	if signed != nil {
		return signed.Machine()
	}
	return f.grants.ReadMachine(access)
}

// revokeMachine revokes an access token of a client itself, and reports whether it is
// one. Its errors include openid.ForeignToken.
func (f *OpenID) revokeMachine(ctx context.Context, tx Tx, client openid.Client, token string, signed *openid.AccessClaims) (bool, error) {
	m, ok := f.machine(token, signed)
	switch {
	case !ok:
		return false, nil
	case m.ClientID != client.ID:
		return true, openid.ForeignToken()
	}
	return true, f.grants.Dismiss(ctx, tx, m)
}
