package account

import "context"

// Subject is what another system calls an account. The zero value means that the account was
// not imported with one.
type Subject struct {
	Issuer string // the other system
	Value  string
}

// Imported is an account with the Subject that it has kept.
type Imported struct {
	AccountID string
	Subject   Subject
}

// ImportedStore is what imported accounts need of the database.
type ImportedStore interface {
	// AccountsByKey returns the accounts that have one of the canonical primary addresses, without holding
	// them.
	AccountsByKey(ctx context.Context, keys []string) ([]Account, error)
	// SubjectOf returns what another system calls an account.
	SubjectOf(ctx context.Context, accountID string) (Subject, bool, error)
	// ImportedAs returns the accounts that any other system calls one of the values.
	ImportedAs(ctx context.Context, values []string) ([]Imported, error)
	// Imported returns up to limit imported accounts, in the order of their ids after the given one.
	Imported(ctx context.Context, after string, limit int) ([]Imported, error)
	// IsUnproven reports whether nobody has proven the primary address of an account.
	IsUnproven(ctx context.Context, accountID string) (bool, error)
	// EndUnproven stores that the primary address is proven.
	EndUnproven(ctx context.Context, accountID string) error
}
