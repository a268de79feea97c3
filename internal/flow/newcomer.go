package flow

import (
	"context"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/factor"
	"portico/internal/masterkey"
	"portico/internal/passkey"
)

// Newcomer is an account that an import makes, with all that belongs to it.
type Newcomer struct {
	Account    account.Account
	Unproven   bool            // nobody has proven the primary address
	Subject    account.Subject // to be kept, or the zero value
	SeenAt     time.Time
	Others     []account.Other
	Identities []account.Identity
	Factors    []factor.Factor
	Codes      []factor.RecoveryCode
	Passkeys   []passkey.Passkey
	Fact       audit.Fact
}

// NewcomerStore is the part of the database that takes many accounts at once.
type NewcomerStore interface {
	account.ImportedStore
	// HoldAddresses keeps others from giving one of the canonical addresses to an account until the transaction ends.
	HoldAddresses(ctx context.Context, keys []string) error
	// KeptByKey returns which account has, or keeps, each of the canonical addresses in addition to its
	// primary one.
	KeptByKey(ctx context.Context, keys []string, now time.Time) (map[string]string, error)
	// IdentitiesAt returns the identities at an issuer with one of the subjects.
	IdentitiesAt(ctx context.Context, issuer string, subjects []string) ([]account.Identity, error)
	// KnownCredentials returns which account has a passkey with each of the ids.
	KnownCredentials(ctx context.Context, credentials [][]byte) (map[string]string, error)
	// HoldKeyCheck makes a change of the master key wait for the end of the transaction.
	HoldKeyCheck(ctx context.Context) error
	// FormerKeys is that of masterkey.Store.
	FormerKeys(ctx context.Context) ([]masterkey.Former, error)
	// InsertNewcomers makes accounts. The caller holds their addresses, and has found that none of their keys is taken at
	// now. Those without a password get a Welcome.
	InsertNewcomers(ctx context.Context, all []Newcomer, now time.Time) error
	// WelcomeOf returns the Welcome of an account that has one, and holds it.
	WelcomeOf(ctx context.Context, accountID string) (Welcome, bool, error)
	UpdateWelcome(ctx context.Context, accountID string, w Welcome) error
	DeleteWelcome(ctx context.Context, accountID string) error
	// NextWelcome returns the account whose email has waited longest.
	NextWelcome(ctx context.Context) (accountID string, ok bool, err error)
	// StopWelcomes takes up to limit that wait out of the queue, and returns how many.
	StopWelcomes(ctx context.Context, limit int) (int64, error)
}
