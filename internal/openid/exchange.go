package openid

import (
	"context"
	"slices"
	"strings"
	"time"

	"portico/internal/clock"
	"portico/internal/secret"
)

// Redemption is what a client sends to exchange a code.
type Redemption struct {
	Code        string
	RedirectURI string
	Verifier    string // PKCE
	Resources   []string
	Key         string // thumbprint of the key that the sender has proven; "" for none
}

// Renewal is what a client sends to exchange a refresh token.
type Renewal struct {
	Refresh   string
	Scopes    string // that it asks for, "" for all
	Resources []string
	Key       string // as in Redemption
}

// Shown is a code or a refresh token that this installation has made.
type Shown struct{ token }

// ShownCode reads the code of a redemption without the database, or returns an Error. A parameter
// that is missing is another Error than a wrong one (RFC 6749 5.2).
func (k *Keeper) ShownCode(client Client, in Redemption) (Shown, error) {
	switch {
	case !client.Code:
		return Shown{}, mayNotUse("authorization_code", "it")
	case in.RedirectURI == "":
		return Shown{}, invalidRequest("redirect_uri is missing")
	}
	return k.shown(kindCode, in.Code, "code")
}

// ShownRefresh is ShownCode for a refresh token.
func (k *Keeper) ShownRefresh(client Client, text string) (Shown, error) {
	if !client.Code && !client.Device {
		return Shown{}, mayNotUse("refresh_token", "authorization_code or device_code")
	}
	return k.shown(kindRefresh, text, "refresh_token")
}

func (k *Keeper) shown(kind, text, name string) (Shown, error) {
	if text == "" {
		return Shown{}, invalidRequest(name + " is missing")
	}
	t, ok := k.read(kind, text)
	if !ok {
		return Shown{}, invalidGrant("the " + name + " is not whole, or was not issued by this server")
	}
	return Shown{t}, nil
}

// Tokens are what a client gets for a code or a refresh token. Without tokens, Live is the
// grant that was ended.
type Tokens struct {
	Access  string
	Refresh string
	Ends    time.Time // when the access token expires
	Live    Live      // with the scopes of the access token

	Resources []string // the audience of the access token
	Key       string   // thumbprint of the key that it belongs to; "" for none
	id        string   // its content, without its hash
}

// CodeOf returns the grant of a code if all of a redemption is right, else an
// Error. It does not decide whether the code was redeemed before.
func (k *Keeper) CodeOf(ctx context.Context, store Store, client Client, code Shown, in Redemption) (Live, error) {
	l, why, err := k.live(ctx, store, code.grant, client.ID)
	switch {
	case err != nil:
		return Live{}, err
	case why != "":
		return Live{}, invalidGrant(why)
	case in.RedirectURI != l.Grant.RedirectURI:
		return Live{}, invalidGrant("redirect_uri differs from the one in the request")
	case !client.returnsTo(in.RedirectURI):
		return Live{}, invalidGrant("the client no longer has this redirect_uri")
	case !proves(in.Verifier, l.Grant.Challenge):
		return Live{}, invalidGrant("code_verifier does not match the code_challenge of the request")
	}
	if l.Grant.RedeemedAt.IsZero() { // a code that is used again ends its grant, whatever key comes with it
		if err := client.mayUse(l.Grant, in.Key); err != nil {
			return Live{}, err
		}
	}
	_, err = resources(in.Resources, l.Grant.Resources)
	return l, err
}

// Redeem gives the tokens of a code to the first caller. It returns no tokens to
// all others, and reports whether it has ended the grant for that.
func (k *Keeper) Redeem(ctx context.Context, tx Store, client Client, l Live, in Redemption) (t Tokens, ended bool, err error) {
	now := k.clock.Now()
	until := l.SessionEnds
	if outlived := now.Add(offlineLife); l.offline() && outlived.After(until) {
		until = outlived
	}
	ok, err := tx.RedeemGrant(ctx, l.Grant.ID, in.Key, now, until)
	if err != nil {
		return Tokens{}, false, err
	}
	if !ok {
		ended, err = tx.EndGrant(ctx, l.Grant.ID, now)
		return Tokens{Live: l}, ended, err
	}
	if client.LogoutURI != "" || l.Grant.MayTell {
		if err := k.watchOver(ctx, tx, l); err != nil {
			return Tokens{}, false, err
		}
	}
	l.Grant.RedeemedAt, l.Grant.ExpiresAt = now, until
	return k.tokens(l, in.Resources, nil, in.Key), false, nil
}

// RefreshOf returns the grant of a refresh token, or an Error.
func (k *Keeper) RefreshOf(ctx context.Context, store Store, client Client, shown Shown, in Renewal) (Live, error) {
	l, why, err := k.live(ctx, store, shown.grant, client.ID)
	switch {
	case err != nil:
		return Live{}, err
	case why == "" && shown.generation > l.Grant.Generation:
		why = "the database was restored to a time before this token" + signInAgain
	}
	if why != "" {
		return Live{}, invalidGrant(why)
	}
	for _, scope := range strings.Fields(in.Scopes) {
		if !slices.Contains(l.Grant.Scopes, scope) {
			return Live{}, &Error{"invalid_scope", "one of the scopes was not granted: request it at the authorization endpoint, and allow it in the scopes of the client"}
		}
	}
	if err := client.mayUse(l.Grant, in.Key); err != nil {
		return Live{}, err
	}
	_, err = resources(in.Resources, l.Grant.Resources)
	return l, err
}

// Refresh gives the tokens of the next generation to the first caller, and for
// repeatWithin to others who repeat the request. It returns no tokens to any later
// caller, and reports whether it has ended the grant for that.
func (k *Keeper) Refresh(ctx context.Context, tx Store, client Client, l Live, shown Shown, in Renewal) (t Tokens, ended bool, err error) {
	now := k.clock.Now()
	next := shown.generation + 1
	ok, err := tx.RotateGrant(ctx, l.Grant.ID, shown.generation, in.Key, now)
	if err != nil {
		return Tokens{}, false, err
	}
	if !ok {
		// The grant may have changed since it was read.
		why := ""
		if l, why, err = k.live(ctx, tx, l.Grant.ID, l.Grant.ClientID); err != nil || why != "" {
			return Tokens{}, false, err
		}
		if err := client.mayUse(l.Grant, in.Key); err != nil {
			return Tokens{}, false, err
		}
		if l.Grant.Generation != next || now.Sub(l.Grant.RotatedAt) > repeatWithin || clock.Ahead(l.Grant.RotatedAt, now) {
			ended, err = tx.EndGrant(ctx, l.Grant.ID, now)
			return Tokens{Live: l}, ended, err
		}
	}
	l.Grant.Generation = next
	scopes := strings.Fields(in.Scopes)
	if len(scopes) > 0 {
		scopes = append(scopes, scopeOpenID) // which every grant has
	}
	return k.tokens(l, in.Resources, scopes, in.Key), false, nil
}

// tokens returns the tokens of the newest generation of a grant, the access token for
// some of its resources and of its scopes, none for all of them.
func (k *Keeper) tokens(l Live, some, scopes []string, key string) Tokens {
	ends := k.clock.Now().Add(AccessLife)
	if l.Ends().Before(ends) {
		ends = l.Ends()
	}
	access := token{l.Grant.ID, l.Grant.Generation, ends, mask(some, l.Grant.Resources), key, mask(scopes, l.Grant.Scopes)}
	l.Grant.Scopes = unmask(access.scopes, l.Grant.Scopes)
	return Tokens{
		Access:  k.write(kindAccess, access),
		Refresh: k.write(kindRefresh, token{grant: l.Grant.ID, generation: l.Grant.Generation}),
		Ends:    ends, Live: l, Resources: unmask(access.mask, l.Grant.Resources), Key: key, id: access.parts(),
	}
}

// Bearer is what an access token of a grant gives.
type Bearer struct {
	Live      Live // with the scopes of the token
	Ends      time.Time
	Resources []string // that it is for, none for UserInfo
	Key       string   // thumbprint of the key that its sender must have; "" for none
}

// Access returns what an access token gives, or false.
func (k *Keeper) Access(ctx context.Context, store Store, access string) (b Bearer, ok bool, err error) {
	t, ok := k.read(kindAccess, access)
	if !ok {
		return Bearer{}, false, nil
	}
	return k.bearer(ctx, store, t)
}

// AccessJWT is Access for a token in JWT form whose signature was verified.
func (k *Keeper) AccessJWT(ctx context.Context, store Store, c AccessClaims) (b Bearer, ok bool, err error) {
	t, ok := split(c.ID)
	if !ok {
		return Bearer{}, false, nil
	}
	return k.bearer(ctx, store, t)
}

func (k *Keeper) bearer(ctx context.Context, store Store, t token) (b Bearer, ok bool, err error) {
	if !k.clock.Now().Before(t.ends) {
		return Bearer{}, false, nil
	}
	began := k.Moment()
	l, ok, err := store.LiveGrant(ctx, t.grant)
	if err != nil || !ok {
		return Bearer{}, false, err
	}
	if ok = k.admits(l, t); ok {
		k.Keep(l, began)
	}
	return bearerOf(t, l), ok, nil
}

// admits reports whether a grant admits an access token of it that has not expired.
func (k *Keeper) admits(l Live, t token) bool {
	return t.generation >= l.Grant.AccessFrom && t.generation <= l.Grant.Generation && k.over(l) == ""
}

func bearerOf(t token, l Live) Bearer {
	l.Grant.Scopes = unmask(t.scopes, l.Grant.Scopes)
	return Bearer{l, t.ends, unmask(t.mask, l.Grant.Resources), t.key}
}

// CurrentRefresh returns the grant of a refresh token that may still be used, or
// false.
func (k *Keeper) CurrentRefresh(ctx context.Context, store Store, refresh string) (l Live, ok bool, err error) {
	t, ok := k.read(kindRefresh, refresh)
	if !ok {
		return Live{}, false, nil
	}
	l, ok, err = store.LiveGrant(ctx, t.grant)
	return l, ok && t.generation == l.Grant.Generation && k.over(l) == "", err
}

// Revoke revokes a token of a client (RFC 7009): an access token with the others
// of its generation and earlier ones, or the whole grant of a refresh token. It
// returns the grant that it has changed, if any, and whether it has ended it. Its
// errors include ForeignToken.
func (k *Keeper) Revoke(ctx context.Context, tx Store, client Client, text string) (changed *Live, ended bool, err error) {
	if t, known := k.read(kindRefresh, text); known {
		return k.revoke(ctx, tx, client, t, true)
	}
	if t, known := k.read(kindAccess, text); known {
		return k.revoke(ctx, tx, client, t, false)
	}
	return nil, false, nil
}

// RevokeJWT is Revoke for an access token in JWT form whose signature was verified.
func (k *Keeper) RevokeJWT(ctx context.Context, tx Store, client Client, c AccessClaims) (changed *Live, err error) {
	t, ok := split(c.ID)
	if !ok {
		return nil, nil
	}
	changed, _, err = k.revoke(ctx, tx, client, t, false)
	return changed, err
}

// ForeignToken returns the Error for a token of another client. RFC 7009 2.1 wants the client
// to hear of it, and RFC 6749 5.2 has the word for what was issued to another client.
func ForeignToken() *Error { return invalidGrant("the token was issued to another client") }

func (k *Keeper) revoke(ctx context.Context, tx Store, client Client, t token, refresh bool) (changed *Live, ended bool, err error) {
	l, found, err := tx.LiveGrant(ctx, t.grant)
	if err != nil || !found {
		return nil, false, err
	}
	if l.Grant.ClientID != client.ID {
		return nil, false, ForeignToken()
	}
	if refresh {
		ended, err = tx.EndGrant(ctx, t.grant, k.clock.Now())
	} else if t.generation < l.Grant.AccessFrom {
		return nil, false, nil // it was revoked before
	} else {
		err = tx.RevokeAccess(ctx, t.grant, t.generation)
	}
	return &l, ended, err
}

func (l Live) offline() bool { return slices.Contains(l.Grant.Scopes, scopeOffline) }

// Ends returns when the code of a grant stops working, or its tokens once the code is redeemed. With
// offline_access the row may stay for longer, so that the end of its session is told.
func (l Live) Ends() time.Time {
	ends := l.Grant.ExpiresAt
	if end := l.Grant.RedeemedAt.Add(offlineLife); l.offline() && !l.Grant.RedeemedAt.IsZero() && end.Before(ends) {
		ends = end
	}
	if !l.AccountEnds.IsZero() && l.AccountEnds.Before(ends) {
		return l.AccountEnds
	}
	return ends
}

// proves reports whether a verifier belongs to a challenge (RFC 7636 4.6). Without
// a challenge there must be no verifier.
func proves(verifier, challenge string) bool {
	if challenge == "" {
		return verifier == ""
	}
	if len(verifier) < 43 || len(verifier) > 128 {
		return false
	}
	for i := range len(verifier) {
		switch c := verifier[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '.', c == '_', c == '~':
		default:
			return false
		}
	}
	return secret.Equal([]byte(secret.Encode(secret.Hash(verifier))), []byte(challenge))
}
