package flow

import (
	"context"
	"slices"
	"strings"

	"portico/internal/openid"
	"portico/internal/session"
)

// TokenSession returns the user of an access token for a resource, as a session that
// lasts as long as the token. It returns session.Required if the text is no valid token,
// if the token is for other resources, even besides this one, and if it belongs to a key.
func (f *Flows) TokenSession(ctx context.Context, access, resource string) (session.Found, error) {
	b, ok, err := f.Bearer(ctx, access, f.signedAccess(access))
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
		User: session.User{ID: u.ID, Address: u.Address, Name: u.Name, Roles: u.Roles},
	}, nil
}

// signedAccess returns the claims of an access token in JWT form that this installation
// has signed, or nil for any other text.
func (f *Flows) signedAccess(access string) *openid.AccessClaims {
	var claims openid.AccessClaims
	if strings.Count(access, ".") != 2 || f.keys.Verify(access, openid.AccessType, &claims) != nil || claims.Issuer != f.targets.Self {
		return nil
	}
	return &claims
}
