package openid

import (
	"cmp"
	"context"
	"slices"
	"time"

	"portico/internal/clock"
	"portico/internal/ids"
	"portico/internal/secret"
)

const (
	// codeLife is how long a code works (ASVS 10.4.3).
	codeLife = time.Minute

	// AccessLife is how long an access token works.
	AccessLife = 10 * time.Minute

	// IDTokenLife is the validity of an ID token.
	IDTokenLife = time.Hour

	// offlineLife is how long a grant lasts at most that outlives its session.
	offlineLife = 30 * 24 * time.Hour

	// MostGrants is how many grants a client has of one session whose code was redeemed, and how many others.
	// Each end of the session changes all of them in one statement. A node that has an older one in memory
	// admits its access token for the minutes that are left.
	MostGrants = 100

	// MostOfUser is how many grants of a user a client can have in all sessions, also in those that are gone, and so can all
	// clients together that are told of sign-outs and are not in the settings. What ends all sessions changes all grants in
	// one transaction, with a message for each name of a session.
	MostOfUser = 250

	// MostOfAny is how many grants of a user all clients together can have, and how many consents.
	MostOfAny = 1000

	// repeatWithin is how long a used refresh token gives its successor again.
	repeatWithin = 30 * time.Second
)

// Grant is what a user's sign-in gave a client.
type Grant struct {
	ID          string
	ClientID    string
	AccountID   string
	Subject     string // what the client calls the user; "" for AccountID
	Version     int64  // credential version of the account
	SessionID   string // the session that it belongs to; follows a new sign-in in the same browser
	SID         string // the session as clients know it; never changes
	Scopes      []string
	RedirectURI string
	Challenge   string // PKCE, S256; "" for none
	Nonce       string
	Methods     []string // proofs of the sign-in
	SignedInAt  time.Time
	CreatedAt   time.Time
	ExpiresAt   time.Time // when the code expires, or the grant once the code is redeemed: see Live.Ends
	RedeemedAt  time.Time // zero: the code was not redeemed
	EndedAt     time.Time // zero: not ended
	RotatedAt   time.Time // the time of the newest refresh token
	Generation  int64     // the generation of the newest refresh token
	AccessFrom  int64     // access tokens of earlier generations are revoked
	Resources   []string  // that its access tokens are for, none for UserInfo
	Claims      []string  // as in Request
	Key         string    // thumbprint of the key that its newest tokens, or its code, belong to; "" for none
	MayTell     bool      // whether its client is a guest that may want to know when the session ends; its address is read when the message is sent
}

// Sub returns what the client calls the user: the claim sub of all that the client gets.
func (g Grant) Sub() string { return cmp.Or(g.Subject, g.AccountID) }

// StrongAt returns the zero time if no second factor was given. A grant does not store
// when one was given, so it then returns a time that no rule counts as recent.
func (g Grant) StrongAt() time.Time {
	if !slices.Contains(g.Methods, methodStrong) {
		return time.Time{}
	}
	return time.Unix(0, 0)
}

// User is the owner of a grant, with the current data of the account.
type User struct {
	ID       string
	Address  string
	Name     string
	Roles    []string
	Portrait string // id of the picture; "" for none
	Picture  string // its URL; filled in for UserInfo alone
	Claims   string // of the account, as package claim parses them
}

// Live is a grant whose account may still use it.
type Live struct {
	Grant Grant
	User  User

	SessionSeen time.Time // last use of the session; zero if it has ended
	SessionEnds time.Time // absolute end
	AccountEnds time.Time // when the account ends; zero for never
}

// Store has the operations of the database that this package needs.
type Store interface {
	InsertGrant(ctx context.Context, g Grant) error
	// TrimGrants makes room for a grant: of those of its account and its client, or of all clients that may be told if this one
	// may, it deletes all but so many of each session and client, and all but so many of the rest. Of its account it deletes all
	// but so many of any client. It does so with those whose code was redeemed, and with the others. Those that were made
	// or refreshed last stay, one of each session and client first.
	TrimGrants(ctx context.Context, g Grant, each, all, most int) error
	// ImportedSubject returns what the system that an account was imported from calls it, or "".
	ImportedSubject(ctx context.Context, accountID string) (string, error)
	// LiveGrant returns a grant if its account is active and has the same
	// credential version. It does not look at the time. A transaction holds the grant, so that a new
	// sign-in moves it before or afterwards.
	LiveGrant(ctx context.Context, id string) (Live, bool, error)
	// RedeemGrant marks the code of a grant as redeemed and sets the end and the
	// key of the grant. It reports false if the code was redeemed before, or if the grant has
	// ended or expired.
	RedeemGrant(ctx context.Context, id, key string, now, until time.Time) (bool, error)
	// RotateGrant makes the generation the next one, of a key. It reports false if the grant
	// has another generation, or has ended or expired.
	RotateGrant(ctx context.Context, id string, generation int64, key string, now time.Time) (bool, error)
	// EndGrant ends a grant and reports whether it had not ended before.
	EndGrant(ctx context.Context, id string, now time.Time) (bool, error)
	// RevokeAccess revokes the access tokens of all generations up to one.
	RevokeAccess(ctx context.Context, id string, generation int64) error
	// MoveGrants gives the grants of a session to another one, which is watched in its
	// place. Redeemed grants that have not ended then last until its end, or longer if they outlive their session.
	MoveGrants(ctx context.Context, from, to string, until time.Time) error

	LogoutStore
	WatchStore
	ConsentStore
	PushStore
	MachineStore
	DeviceStore
	RegistryStore
}

// Config of a Keeper.
type Config struct {
	Clock   clock.Clock
	Key     *secret.Key
	IdleEnd func(seen time.Time) time.Time // when a session that was last used at a time ends
}

// Keeper makes and checks grants. It is safe for concurrent use.
type Keeper struct {
	clock   clock.Clock
	mac     *secret.MAC
	idleEnd func(time.Time) time.Time
	kept    *kept
}

// NewKeeper returns a Keeper that remembers no grants.
func NewKeeper(c Config) *Keeper {
	return &Keeper{clock: c.Clock, mac: c.Key.MAC("openid"), idleEnd: c.IdleEnd, kept: newKept()}
}

// With returns a Keeper of the same grants with another end of idle sessions.
func (k *Keeper) With(idleEnd func(time.Time) time.Time) *Keeper {
	other := *k
	other.idleEnd = idleEnd
	return &other
}

// SignIn is the session in which a user grants something.
type SignIn struct {
	AccountID string
	Version   int64
	SessionID string
	SID       string
	Methods   []string
	Strong    bool      // whether a second factor was given
	At        time.Time // zero when a provider does not tell
}

// Grant stores a new grant and returns its code. It uses up a pushed request.
func (k *Keeper) Grant(ctx context.Context, tx Store, r Request, by SignIn) (code string, err error) {
	if err := k.spend(ctx, tx, r); err != nil {
		return "", err
	}
	id, err := k.grant(ctx, tx, r, by, k.clock.Now().Add(codeLife))
	return k.write(kindCode, token{grant: id}), err
}

// grant stores a grant whose tokens are got until a time, and returns its id.
func (k *Keeper) grant(ctx context.Context, tx Store, r Request, by SignIn, until time.Time) (id string, err error) {
	now := k.clock.Now()
	g := Grant{
		ID: ids.NewAt(now), ClientID: r.Client.ID, AccountID: by.AccountID, Version: by.Version, SessionID: by.SessionID, SID: by.SID,
		Scopes: r.Scopes, RedirectURI: r.RedirectURI, Challenge: r.Challenge, Nonce: r.Nonce, Methods: by.Methods, SignedInAt: by.At,
		CreatedAt: now, ExpiresAt: until, Resources: r.Resources, Claims: r.Claims, Key: r.Key,
		MayTell: r.Client.LogoutURI != "" && r.Client.Guest || RegisteredHost(r.Client.ID) != "", // a registered client may name an address later
	}
	if g.Subject, err = r.Client.SubjectOf(ctx, tx, by.AccountID); err != nil {
		return "", err
	}
	if by.Strong && r.Level != acrOne {
		g.Methods = append(slices.Clone(g.Methods), methodStrong)
	}
	// Codes take no room of grants in use: any site can have a browser ask for codes, and would keep the client from
	// hearing of the sign-out.
	if err := tx.TrimGrants(ctx, g, MostGrants-1, MostOfUser-1, MostOfAny-1); err != nil {
		return "", err
	}
	return g.ID, tx.InsertGrant(ctx, g)
}

// SubjectOf returns what the client calls the user of an account in place of its id, or "". The id of the client itself does
// not count: servers would take tokens of the user for its own (RFC 9068 5).
func (client Client) SubjectOf(ctx context.Context, store Store, accountID string) (subject string, err error) {
	if client.Imported {
		subject, err = store.ImportedSubject(ctx, accountID)
	}
	if subject == client.ID {
		subject = ""
	}
	return subject, err
}

// live returns a grant of the client that may still be used, or a reason why
// not.
func (k *Keeper) live(ctx context.Context, store Store, id, clientID string) (l Live, why string, err error) {
	l, ok, err := store.LiveGrant(ctx, id)
	switch {
	case err != nil:
		return Live{}, "", err
	case !ok:
		return Live{}, "the grant is gone, or the user may no longer sign in" + signInAgain, nil
	case l.Grant.ClientID != clientID:
		return Live{}, "the grant belongs to another client: authenticate as that client", nil
	}
	return l, k.over(l), nil
}

// signInAgain ends what a client is told of a grant that is over.
const signInAgain = ": the user must sign in again"

// over returns why a grant can no longer be used, "" while it can.
func (k *Keeper) over(l Live) string {
	now, ahead := k.clock.Now(), clock.FarFuture
	if l.Grant.RedeemedAt.IsZero() {
		ahead = clock.MaxSkew // a code would work for longer after the clock was set back
	}
	switch {
	case !l.Grant.EndedAt.IsZero():
		return "the grant has ended" + signInAgain
	case !now.Before(l.Ends()), l.Grant.CreatedAt.Sub(now) > ahead:
		return "it has expired" + signInAgain
	case l.offline() && !l.Grant.RedeemedAt.IsZero():
		return ""
	case !now.Before(l.SessionEnds), !now.Before(k.idleEnd(l.SessionSeen).Add(watchSlack)):
		return "the user has signed out" + signInAgain
	}
	return ""
}
