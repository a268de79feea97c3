package session

import (
	"context"
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"portico/internal/clock"
	"portico/internal/ids"
	"portico/internal/secret"
)

// Session is one browser in which a user is signed in.
type Session struct {
	ID              string
	AccountID       string
	Version         int64    // credential version of the account at sign-in
	Methods         []string // proofs of the sign-in: "password", "mail", "passkey", "operator_link", "provider:google", then "totp", "passkey" or "recovery_code"
	UserAgent       string   // the User-Agent header, shortened
	Peer            string   // network of the sign-in
	CreatedAt       time.Time
	AuthenticatedAt time.Time // of the newest proof; zero when a provider does not tell
	StrongAt        time.Time // of the newest second factor; zero when none was given
	LastSeenAt      time.Time
	ExpiresAt       time.Time // absolute end
	App             string    // the only app that a personal access token opens; "" for a browser
}

// Most is how many sessions an account may have. One more takes the place of the one that was used least recently.
const Most = 100

// SID returns the name of the session for apps and OpenID clients (claim sid). It does not
// reveal the ID.
func (s Session) SID() string {
	sum := sha256.Sum256([]byte("portico sid " + s.ID))
	return secret.Encode(sum[:16])
}

// ProvenAt returns AuthenticatedAt for apps, which have no zero time: a proof of an
// unknown time counts as given in 1970.
func (s Session) ProvenAt() time.Time {
	if s.AuthenticatedAt.IsZero() {
		return time.Unix(0, 0).UTC()
	}
	return s.AuthenticatedAt
}

// Strong reports whether a second factor was given for the session.
func (s Session) Strong() bool { return !s.StrongAt.IsZero() }

// User is the owner of a session, with the current data of the account.
type User struct {
	ID       string
	Address  string
	Name     string
	Roles    []string
	EndsAt   time.Time // when the account ends; zero for never
	Claims   string    // of the account, for apps
	Portrait string    // id of the picture, "" for none
}

// Found is a valid session with its user.
type Found struct {
	Session Session
	User    User
}

// Ends returns when the session ends at the latest. Without use it ends before, at Keeper.IdleEnd.
func (f Found) Ends() time.Time {
	if ends := f.User.EndsAt; !ends.IsZero() && ends.Before(f.Session.ExpiresAt) {
		return ends
	}
	return f.Session.ExpiresAt
}

// Store has the operations of the database that this package needs.
type Store interface {
	InsertSession(ctx context.Context, hash []byte, s Session) error
	// SessionByHash returns a session of an active account if both have the
	// same credential version. It does not look at the time.
	SessionByHash(ctx context.Context, hash []byte) (Found, bool, error)
	// SessionsOf returns the sessions of an account that end after now, newest first.
	SessionsOf(ctx context.Context, accountID string, now time.Time) ([]Session, error)
	// SessionEnd returns why a session was deleted.
	SessionEnd(ctx context.Context, hash []byte) (Reason, bool, error)
	// DeleteSession deletes the session of the account and reports whether it
	// was there. It keeps the reason unless it is Left.
	DeleteSession(ctx context.Context, accountID, id string, why Reason) (bool, error)
	// DeleteSessions deletes all sessions of the account except the one with the
	// id keep. It keeps the reason unless it is Left.
	DeleteSessions(ctx context.Context, accountID, keep string, why Reason) (int64, error)
	// InsertRevocation tells every process that sessions of the account have
	// ended.
	InsertRevocation(ctx context.Context, accountID string, at time.Time) error
	// Revocations returns all revocations.
	Revocations(ctx context.Context) ([]Revocation, error)
	// DeleteRevocations deletes those of the ids that are there.
	DeleteRevocations(ctx context.Context, ids []string) error
	// TouchSessions moves LastSeenAt of sessions forward, never back.
	TouchSessions(ctx context.Context, uses []Use) error

	// TokenByHash returns a personal access token as SessionByHash does a session.
	TokenByHash(ctx context.Context, hash []byte) (Found, bool, error)
	// TouchTokens is TouchSessions for personal access tokens.
	TouchTokens(ctx context.Context, uses []Use) error
}

// Config of a Keeper.
type Config struct {
	Clock    clock.Clock
	Idle     time.Duration // end without use
	Absolute time.Duration // the latest end (NIST 800-63B-4 2.1.3: 30 days at most)
	CacheMax int           // sessions that the cache holds at most
}

// Keeper starts, checks and ends sessions. It is safe for concurrent use.
type Keeper struct {
	Config
	cache    *cache
	follower *follower
}

// NewKeeper returns a Keeper with an empty cache.
func NewKeeper(cfg Config) *Keeper {
	return &Keeper{Config: cfg, cache: newCache(cfg.CacheMax), follower: &follower{looked: clock.Here()}}
}

// With returns a Keeper of the same sessions with other limits.
func (k *Keeper) With(idle, absolute time.Duration) *Keeper {
	other := *k
	other.Idle, other.Absolute = idle, absolute
	return &other
}

// Start stores a new session and returns its token. The caller fills in the
// account with its version, the methods, the times of the proofs, the user agent
// and the network, and of a session that goes on when it began and ends. Start sets the rest.
func (k *Keeper) Start(ctx context.Context, tx Store, s Session) (token string, started Session, err error) {
	now := k.Clock.Now()
	token = secret.Token()
	s.ID, s.LastSeenAt = ids.New(), now
	if s.CreatedAt.IsZero() {
		s.CreatedAt, s.ExpiresAt = now, now.Add(k.Absolute)
	}
	return token, s, tx.InsertSession(ctx, secret.Hash(token), s)
}

// Check returns the session of the token and its user. Its faults are
// Required, and Ended, which wraps Required. A check counts as use.
func (k *Keeper) Check(ctx context.Context, store Store, token string) (Found, error) {
	if !secret.ValidToken(token) {
		return Found{}, Required
	}
	hash := key(secret.Hash(token))
	now := k.Clock.Now()
	entry, err := k.find(ctx, store, hash, now)
	if err != nil {
		return Found{}, err
	}
	seen := entry.lastSeen()
	if why := k.over(entry.found, seen, now); why != "" {
		k.cache.drop(hash)
		return Found{}, ended(why)
	}
	k.cache.use(entry, now)
	return entry.foundAt(seen), nil
}

// CheckKept is Check for a valid session in memory, without the database: every
// request to an app calls it. False means that Check must decide.
func (k *Keeper) CheckKept(token string) (Found, bool) {
	now := k.Clock.Now()
	entry := k.kept(token, now)
	if entry == nil {
		return Found{}, false
	}
	seen := entry.lastSeen()
	k.cache.use(entry, now)
	return entry.foundAt(seen), true
}

// Peek is Check without counting as use, for the watch over long requests.
func (k *Keeper) Peek(ctx context.Context, store Store, token string) (Found, error) {
	if !secret.ValidToken(token) {
		return Found{}, Required
	}
	entry, err := k.find(ctx, store, key(secret.Hash(token)), k.Clock.Now())
	if err != nil {
		return Found{}, err
	}
	if why := k.over(entry.found, entry.lastSeen(), k.Clock.Now()); why != "" {
		return Found{}, ended(why)
	}
	return entry.found, nil
}

// PeekKept is Peek for a valid session in memory, without the database: the
// gateway looks at thousands of open requests several times a second.
func (k *Keeper) PeekKept(token string) (Found, bool) {
	entry := k.kept(token, k.Clock.Now())
	if entry == nil {
		return Found{}, false
	}
	return entry.found, true
}

// kept returns the session of a token if it is in memory and valid, else nil.
func (k *Keeper) kept(token string, now time.Time) *entry {
	if !secret.ValidToken(token) {
		return nil
	}
	entry := k.cache.get(key(secret.Hash(token)))
	if entry == nil || k.over(entry.found, entry.lastSeen(), now) != "" {
		return nil
	}
	return entry
}

// find returns the session of a token from memory, else from the database. It
// asks the database about a session that is idle for too long in memory,
// because another process may have used it.
func (k *Keeper) find(ctx context.Context, store Store, hash key, now time.Time) (*entry, error) {
	entry := k.cache.get(hash)
	if entry != nil && k.over(entry.found, entry.lastSeen(), now) == Idle {
		k.cache.drop(hash)
		entry = nil
	}
	if entry != nil {
		return entry, nil
	}
	entry, err := k.load(ctx, store.SessionByHash, hash)
	if err == nil && entry == nil {
		err = whyMissing(ctx, store, hash)
	}
	return entry, err
}

// over returns why a session has ended by time, "" while it is valid.
//
// A session from the far future was started while the clock was wrong, and
// would be valid for as much longer.
func (k *Keeper) over(found Found, seen, now time.Time) Reason {
	s, ends := found.Session, found.User.EndsAt
	switch {
	case !ends.IsZero() && !now.Before(ends):
		return Disabled
	case !now.Before(s.ExpiresAt), s.CreatedAt.Sub(now) > clock.FarFuture:
		return Absolute
	case s.App == "" && now.Sub(seen) >= k.Idle:
		return Idle
	}
	return ""
}

// IdleEnd returns when a session that was last used at seen ends by itself.
func (k *Keeper) IdleEnd(seen time.Time) time.Time { return seen.Add(k.Idle) }

// load returns what read finds in the database, or nil.
func (k *Keeper) load(ctx context.Context, read func(context.Context, []byte) (Found, bool, error), hash key) (*entry, error) {
	generation := k.cache.generation()
	k.cache.misses.Add(1)
	found, ok, err := read(ctx, hash[:])
	if err != nil || !ok {
		return nil, err
	}
	return k.cache.put(hash, found, generation), nil
}

// whyMissing returns the fault of a token that has no session.
func whyMissing(ctx context.Context, store Store, hash key) error {
	why, ok, err := store.SessionEnd(ctx, hash[:])
	switch {
	case err != nil:
		return err
	case !ok:
		return Required
	}
	return ended(why)
}

// List returns the valid sessions of an account, newest first.
func (k *Keeper) List(ctx context.Context, store Store, accountID string) ([]Session, error) {
	now := k.Clock.Now()
	all, err := store.SessionsOf(ctx, accountID, now)
	if err != nil {
		return nil, err
	}
	held := all[:0]
	for _, s := range all {
		if seen := k.cache.seen(s.ID); seen.After(s.LastSeenAt) {
			s.LastSeenAt = seen
		}
		if now.Sub(s.LastSeenAt) < k.Idle {
			held = append(held, s)
		}
	}
	return held, nil
}

// End ends one session of the account and reports whether it existed.
func (k *Keeper) End(ctx context.Context, tx Store, accountID, id string, why Reason) (bool, error) {
	ok, err := tx.DeleteSession(ctx, accountID, id, why)
	if err != nil || !ok {
		return false, err
	}
	return true, tx.InsertRevocation(ctx, accountID, k.Clock.Now())
}

// EndAll ends all sessions of the account except the one with the id keep.
func (k *Keeper) EndAll(ctx context.Context, tx Store, accountID, keep string, why Reason) error {
	if _, err := tx.DeleteSessions(ctx, accountID, keep, why); err != nil {
		return err
	}
	return tx.InsertRevocation(ctx, accountID, k.Clock.Now())
}

// Changed makes every process read the account of its sessions again, after its
// roles or its name have changed. The sessions continue.
func (k *Keeper) Changed(ctx context.Context, tx Store, accountID string) error {
	return tx.InsertRevocation(ctx, accountID, k.Clock.Now())
}

// Forget drops the account from the cache. Call it after the commit of every
// change to the account's sessions, state or credentials.
func (k *Keeper) Forget(accountID string) { k.cache.forget(accountID) }

// Lead makes another cache drop each account that this one drops.
func (k *Keeper) Lead(b Beside) { k.cache.lead(b) }

// Stats returns the figures of the cache.
func (k *Keeper) Stats() CacheStats { return k.cache.stats() }

// Flush writes the last uses that only the cache has. The application calls it
// from time to time. A crash loses the uses since the last call, and no
// session.
func (k *Keeper) Flush(ctx context.Context, write func(context.Context, func(Store) error) error) error {
	k.cache.sweep(k.Clock.Now(), k.Idle)
	used := k.cache.takeUsed()
	// With the same order everywhere, two processes that write the uses of the
	// same sessions rarely deadlock, which the store would try again.
	slices.SortFunc(used, func(a, b Use) int { return strings.Compare(a.ID, b.ID) })
	const batch = 500
	for len(used) > 0 {
		n := min(batch, len(used))
		err := write(ctx, func(tx Store) error { return touch(ctx, tx, used[:n]) })
		if err != nil {
			k.cache.giveBack(used)
			return err
		}
		used = used[n:]
	}
	return nil
}
