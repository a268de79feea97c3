package apikey

import (
	"context"
	"slices"
	"time"

	"portico/internal/fault"
)

const (
	// DefaultLife is how long a key works if its maker says nothing.
	DefaultLife = 90 * 24 * time.Hour
	// MostLife bounds how far away the end of a key may be.
	MostLife = 365 * 24 * time.Hour
	// MostKeys is how many keys an admin may answer for: they all end in one transaction.
	MostKeys = 50
	// WarnBefore is how long before its end the owner of a key is told of it.
	WarnBefore = 14 * 24 * time.Hour
)

// Scopes are all scopes. Each is a subject, and read or write, but for import: it makes accounts with passwords, passkeys and
// second factors.
func Scopes() []string {
	return []string{"people:read", "people:write", "apps:read", "apps:write", "import", "invitations:read", "invitations:write", "record:read", "system:read", "system:write", "webhooks:read", "webhooks:write"}
}

// Key is a key without its secrets.
type Key struct {
	ID        string
	Name      string
	Scopes    []string
	CreatedAt time.Time
	EndsAt    time.Time
	UsedAt    time.Time // the last use was at most a minute later
	Peer      string    // the network of that use
	WarnedAt  time.Time // when the owner was told that it ends soon
}

// Secret is a secret of a key.
type Secret struct {
	Hash      []byte
	KeyID     string
	AccountID string // the admin who answers for it
	CreatedAt time.Time
}

// Held is a key by one of its secrets.
type Held struct {
	Key
	Hash      []byte // of the secret
	AccountID string
}

// Ask is what an admin wants of a key.
type Ask struct {
	Name   string
	Scopes []string
	EndsAt time.Time // zero for DefaultLife
}

// Until returns the end of a key that is made or renewed now, or the fault of the field ends_at.
func Until(wanted, now time.Time) (time.Time, *fault.Field) {
	if wanted.IsZero() {
		return now.Add(DefaultLife), nil
	}
	wanted = wanted.UTC().Truncate(time.Microsecond)
	if !wanted.After(now) || wanted.After(now.Add(MostLife)) {
		return wanted, &fault.Field{Name: "ends_at", Code: CodeEndsAt}
	}
	return wanted, nil
}

// Checked returns the sorted scopes, or the fault of the field scopes.
func Checked(scopes []string) ([]string, *fault.Field) {
	scopes = slices.Clone(scopes)
	slices.Sort(scopes)
	scopes = slices.Compact(scopes)
	known := Scopes()
	if len(scopes) == 0 || slices.ContainsFunc(scopes, func(s string) bool { return !slices.Contains(known, s) }) {
		return nil, &fault.Field{Name: "scopes", Code: CodeNoScope}
	}
	return scopes, nil
}

// Store is what keys need of the database.
type Store interface {
	InsertAPIKey(ctx context.Context, k Key) error
	// APIKeyByID returns a key and holds it until the end of the transaction.
	APIKeyByID(ctx context.Context, id string) (Key, bool, error)
	// APIKeyBySecret is APIKeyByID by the hash of a secret.
	APIKeyBySecret(ctx context.Context, hash []byte) (Held, bool, error)
	// APIKeys returns up to limit keys that are older than the one with the id, the newest first.
	APIKeys(ctx context.Context, after string, limit int) ([]Key, error)
	// APIKeyNames returns the names of keys, by their ids.
	APIKeyNames(ctx context.Context, ids []string) (map[string]string, error)
	// EndingAPIKeys returns up to limit keys that end between two times and whose owner is not
	// told yet.
	EndingAPIKeys(ctx context.Context, from, to time.Time, limit int) ([]Key, error)
	// UpdateAPIKey changes the end of a key, and when its owner was told of it.
	UpdateAPIKey(ctx context.Context, id string, ends, warned time.Time) error
	TouchAPIKey(ctx context.Context, id string, at time.Time, peer string) error
	InsertAPIKeySecret(ctx context.Context, s Secret) error
	// APIKeySecrets returns the secrets of keys, the newest first.
	APIKeySecrets(ctx context.Context, ids ...string) ([]Secret, error)
	// APIKeySecretsOf returns the secrets that an account answers for, of the keys that have not ended.
	APIKeySecretsOf(ctx context.Context, accountID string, now time.Time) ([]Secret, error)
	DeleteAPIKeySecret(ctx context.Context, hash []byte) error
}
