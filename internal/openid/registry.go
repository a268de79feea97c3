package openid

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"portico/internal/ids"
	"portico/internal/secret"
)

const (
	// maxRegistered is how many clients may register themselves.
	maxRegistered = 1000

	// unusedLife is how long a registered client stays that has signed no user in.
	unusedLife = 7 * 24 * time.Hour

	// idleLife is how long it stays after its last use.
	idleLife = 90 * 24 * time.Hour

	// noteUseEvery is how often a use is written.
	noteUseEvery = 24 * time.Hour
)

// Registered is a client that has registered itself (RFC 7591).
type Registered struct {
	ID        string
	Metadata  string // a Registration in JSON
	Secret    []byte // SHA-256; empty for none
	Access    []byte // SHA-256 of the token by which the client changes this
	CreatedAt time.Time
	EndsAt    time.Time // unless it is used before
}

// InitialToken lets clients register.
type InitialToken struct {
	ID        string
	Hash      []byte
	Uses      int64 // that are left
	CreatedAt time.Time
	ExpiresAt time.Time
}

// RegistryStore has the operations of the database for clients that register
// themselves.
type RegistryStore interface {
	InsertInitialToken(ctx context.Context, t InitialToken) error
	// InitialTokens returns the tokens that work at a time, the oldest first.
	InitialTokens(ctx context.Context, now time.Time) ([]InitialToken, error)
	// SpendInitialToken uses a token once, and reports whether it had a use left.
	SpendInitialToken(ctx context.Context, hash []byte, now time.Time) (bool, error)
	// DeleteInitialToken reports whether there was one.
	DeleteInitialToken(ctx context.Context, id string) (bool, error)

	// InsertRegistered reports false, and stores nothing, if at least most clients have not
	// ended at a time. Concurrent callers do not exceed most.
	InsertRegistered(ctx context.Context, r Registered, now time.Time, most int) (bool, error)
	// RegisteredByID returns a client that has not ended at a time.
	RegisteredByID(ctx context.Context, id string, now time.Time) (Registered, bool, error)
	// LockRegistered is RegisteredByID, and keeps the client from changing until the
	// transaction ends.
	LockRegistered(ctx context.Context, id string, now time.Time) (Registered, bool, error)
	// RegisteredList returns the clients that have not ended, the oldest first.
	RegisteredList(ctx context.Context, now time.Time) ([]Registered, error)
	// ChangeRegistered replaces the metadata and the secret of a client.
	ChangeRegistered(ctx context.Context, r Registered) error
	// KeepRegistered sets the end of a client, if it is earlier and the client was not ended.
	KeepRegistered(ctx context.Context, id string, until time.Time) error
	// EndRegistered ends a client for good, and reports whether there was one that had not ended.
	EndRegistered(ctx context.Context, id string, now time.Time) (bool, error)
	// EndedRegistered returns the clients that have ended and are not deleted.
	EndedRegistered(ctx context.Context, now time.Time) ([]string, error)
	// DeleteRegistered deletes a client that has ended.
	DeleteRegistered(ctx context.Context, id string, now time.Time) error
}

// Registree is a registered client with the secrets that it is told once.
type Registree struct {
	Registered
	Told        Registration
	Secret      string // "" for none, or if it has the former one
	AccessToken string
}

// AllowRegistrations stores a new initial token for so many clients, and returns its text.
func (k *Keeper) AllowRegistrations(ctx context.Context, tx RegistryStore, uses int64, life time.Duration) (text string, t InitialToken, err error) {
	now := k.clock.Now()
	text = secret.Token()
	t = InitialToken{ID: ids.New(), Hash: secret.Hash(text), Uses: uses, CreatedAt: now, ExpiresAt: now.Add(life)}
	return text, t, tx.InsertInitialToken(ctx, t)
}

// Register stores a client that has a use of an initial token, and metadata that
// parse accepts. A refusal leaves the token as it was, if the transaction ends with it.
func (k *Keeper) Register(ctx context.Context, tx RegistryStore, initial string, parse func() (Registration, error)) (Registree, error) {
	now := k.clock.Now()
	if ok, err := tx.SpendInitialToken(ctx, secret.Hash(initial), now); err != nil || !ok {
		return Registree{}, orToken(err)
	}
	told, err := parse()
	if err != nil {
		return Registree{}, err
	}
	r := Registree{Registered: Registered{ID: newRegisteredID(told.host()), CreatedAt: now, EndsAt: now.Add(unusedLife)}, Told: told, AccessToken: secret.Token()}
	r.Access = secret.Hash(r.AccessToken)
	r.arm()
	ok, err := tx.InsertRegistered(ctx, r.Registered, now, maxRegistered)
	if err == nil && !ok {
		err = &Error{"access_denied", "the limit of registered clients is reached: the operator of this server can delete some"}
	}
	return r, err
}

// arm writes the metadata of a client, and makes a secret if it needs one and has none.
func (r *Registree) arm() {
	text, err := json.Marshal(r.Told)
	if err != nil {
		panic(err) // it was read from JSON
	}
	r.Metadata = string(text)
	switch {
	case !strings.HasPrefix(r.Told.Method, "client_secret_"):
		r.Registered.Secret = []byte{}
	case len(r.Registered.Secret) == 0:
		r.Secret = secret.Token()
		r.Registered.Secret = secret.Hash(r.Secret)
	}
}

// orToken returns the error, or else that a token for registrations does not count. It does
// not say why.
func orToken(err error) error {
	if err == nil {
		err = &Error{"invalid_token", "the token was used up, has expired, or was never issued"}
	}
	return err
}

// Registration returns what a client has registered, to the owner of its token.
func (k *Keeper) Registration(ctx context.Context, tx RegistryStore, id, access string) (Registree, error) {
	r, ok, err := tx.LockRegistered(ctx, id, k.clock.Now())
	if err != nil || !ok || !secret.Equal(r.Access, secret.Hash(access)) {
		return Registree{}, orToken(err)
	}
	registree := Registree{Registered: r, AccessToken: access}
	return registree, json.Unmarshal([]byte(r.Metadata), &registree.Told)
}

// Reregister replaces what a client has registered. Its host and its token stay, so a client
// that loses the answer asks again.
func (k *Keeper) Reregister(ctx context.Context, tx RegistryStore, id, access string, parse func() (Registration, error)) (Registree, error) {
	r, err := k.Registration(ctx, tx, id, access)
	if err != nil {
		return Registree{}, err
	}
	if r.Told, err = parse(); err != nil {
		return Registree{}, err
	}
	if r.Told.secret != "" && !secret.Equal(r.Registered.Secret, secret.Hash(r.Told.secret)) { // RFC 7592 2.2
		return Registree{}, invalidMetadata("client_secret is not the secret of the client")
	}
	if r.Told.host() != RegisteredHost(id) {
		return Registree{}, &Error{"invalid_redirect_uri", "the host differs: register another client"}
	}
	r.arm()
	return r, tx.ChangeRegistered(ctx, r.Registered)
}

// Client returns the client. It is a guest: no operator knows it, and its users are asked
// each time. It may ask for tokens for the resources.
func (r Registered) Client(algorithms, resources []string) (Client, error) {
	var told Registration
	if err := json.Unmarshal([]byte(r.Metadata), &told); err != nil {
		return Client{}, err
	}
	host := RegisteredHost(r.ID)
	d := Metadata{
		RedirectURIs: told.RedirectURIs, LogoutURI: told.LogoutURI, DPoP: told.DPoP,
		Keyed: told.Method == "private_key_jwt", Keys: string(told.Keys), KeysURI: told.KeysURI,
	}
	c := d.Guest(r.ID, host, resources)
	c.Scopes, c.LogoutReturns = strings.Fields(told.Scope), told.LogoutReturns
	if slices.Contains(algorithms, told.IDTokenAlg) {
		c.IDTokenAlg = told.IDTokenAlg
	}
	if len(r.Secret) > 0 {
		c.Public, c.secrets = false, [][]byte{r.Secret}
	}
	return c, nil
}

// NoteUse keeps a client that is used. It writes at most once a day.
func (k *Keeper) NoteUse(ctx context.Context, tx RegistryStore, id string) error {
	now := k.clock.Now()
	r, ok, err := tx.RegisteredByID(ctx, id, now)
	if until := now.Add(idleLife); err == nil && ok && until.Sub(r.EndsAt) >= noteUseEvery {
		err = tx.KeepRegistered(ctx, id, until)
	}
	return err
}
