package flow

import (
	"context"
	"errors"
	"slices"
	"strings"

	"portico/internal/openid"
	"portico/internal/session"
	"portico/internal/signingkey"
)

// Inspected is the result of an introspection. At most one field is set, and none if the
// token does not work.
type Inspected struct {
	Bearer  *openid.Bearer  // for an access token of a grant
	Machine *openid.Machine // for an access token of a client itself
	Refresh *openid.Live    // for a refresh token
}

// Inspect looks up a token of any kind.
func (f *OpenID) Inspect(ctx context.Context, token string) (Inspected, error) {
	signed, err := f.signedAccess(token)
	if err != nil {
		return Inspected{}, err
	}
	if b, ok, err := f.bearer(ctx, token, signed); err != nil || ok {
		return Inspected{Bearer: &b}, err
	}
	if m, ok, err := f.employed(ctx, token, signed); err != nil || ok {
		return Inspected{Machine: &m}, err
	}
	l, ok, err := f.refreshGrant(ctx, token)
	if err != nil || !ok {
		return Inspected{}, err
	}
	return Inspected{Refresh: &l}, nil
}

// Bearer returns what an access token of a grant gives, or false if it does not work.
func (f *OpenID) Bearer(ctx context.Context, access string) (openid.Bearer, bool, error) {
	signed, err := f.signedAccess(access)
	if err != nil {
		return openid.Bearer{}, false, err
	}
	return f.bearer(ctx, access, signed)
}

// bearer is Bearer for a text that was read. signed has the claims of a token in JWT form
// whose signature was verified, else nil.
func (f *OpenID) bearer(ctx context.Context, access string, signed *openid.AccessClaims) (b openid.Bearer, ok bool, err error) {
	if b, ok := f.grants.KeptAccess(access, signed); ok {
		return b, f.admits(b.Live), nil // a reload may have changed the client; the memory has no registered one
	}
	err = f.store.Read(ctx, func(tx Tx) error {
		if signed != nil {
			b, ok, err = f.grants.AccessJWT(ctx, tx, *signed)
		} else {
			b, ok, err = f.grants.Access(ctx, tx, access)
		}
		if err == nil && ok {
			ok, err = f.stillKnown(ctx, tx, b.Live)
		}
		return err
	})
	return b, ok, err
}

// UserClaims returns the claims that UserInfo tells the client of a grant.
func (f *OpenID) UserClaims(l openid.Live) map[string]any {
	client, _ := f.clients.Get(l.Grant.ClientID) // a guest has no claims of its own
	return l.UserClaims(client)
}

// refreshGrant returns the grant of a refresh token that may still be used, or
// false.
func (f *OpenID) refreshGrant(ctx context.Context, refresh string) (l openid.Live, ok bool, err error) {
	err = f.store.Read(ctx, func(tx Tx) error {
		if l, ok, err = f.grants.CurrentRefresh(ctx, tx, refresh); err == nil && ok {
			ok, err = f.stillKnown(ctx, tx, l)
		}
		return err
	})
	return l, ok, err
}

// TokenSession returns the user of an access token for a resource, as a session that
// lasts as long as the token. It returns session.Required if the text is not a valid token,
// if the token is for other resources, even besides this one, and if it belongs to a key.
func (f *OpenID) TokenSession(ctx context.Context, access, resource string) (session.Found, error) {
	b, ok, err := f.Bearer(ctx, access)
	if err != nil {
		return session.Found{}, err
	}
	if !ok || b.Key != "" || !slices.Equal(b.Resources, []string{resource}) {
		return session.Found{}, session.Required
	}
	g, u := b.Live.Grant, b.Live.User
	return session.Found{
		Session: session.Session{
			ID: "grant " + g.ID, AccountID: u.ID, Version: g.Version, Methods: g.Methods, CreatedAt: g.CreatedAt,
			AuthenticatedAt: g.SignedInAt, StrongAt: g.StrongAt(), ExpiresAt: b.Ends,
		},
		User: session.User{ID: u.ID, Address: u.Address, Name: u.Name, Roles: u.Roles, Claims: u.Claims, EndsAt: b.Live.AccountEnds},
	}, nil
}

// Issued reports whether a text is a token of this installation, of whatever kind and for whomever, whether or not it works.
func (f *OpenID) Issued(text string) bool {
	return f.grants.Issued(text) || strings.Count(text, ".") == 2 && f.keys.Signed(text)
}

// signedAccess returns the claims of an access token in JWT form that this installation
// has signed, or nil for any other text.
//
// Faults: signingkey.Unavailable, while this node cannot tell.
func (f *OpenID) signedAccess(access string) (*openid.AccessClaims, error) {
	if strings.Count(access, ".") != 2 {
		return nil, nil
	}
	var claims openid.AccessClaims
	err := f.keys.Verify(access, openid.AccessType, &claims)
	if errors.Is(err, signingkey.Unavailable) {
		return nil, err
	}
	if err != nil || claims.Issuer != f.settings.Targets.Self {
		return nil, nil
	}
	return &claims, nil
}
