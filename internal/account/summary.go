package account

import (
	"context"
	"time"
)

// Summary counts what an account has, for a page that names it all.
type Summary struct {
	Password  bool
	Addresses int // with the primary one, without kept ones
	Passkeys  int
	Apps      int // authenticator apps
	Sessions  int
	Clients   int // OpenID clients that know the account
}

// SummaryStore is what summaries need of the database.
type SummaryStore interface {
	// SummaryOf returns the summary of an account at now. A session counts if it was
	// used after since.
	SummaryOf(ctx context.Context, accountID string, now, since time.Time) (Summary, error)
}
