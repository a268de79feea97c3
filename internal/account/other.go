package account

import (
	"context"
	"time"
)

// Use is what an account has one of its other addresses for.
type Use string

const (
	Recovery Use = "recovery" // recovers the account and gets its notices: one at most
	Spare    Use = "other"    // for nothing yet
	Former   Use = "former"   // was the primary one, and is kept so that the account can have it back
	Removed  Use = "removed"  // likewise, of any other address
)

// Other is an address that an account has in addition to its primary one. No other account
// can get it before Until.
type Other struct {
	AccountID    string
	Address      Address
	Use          Use
	AddedAt      time.Time // since when the account has it: Always if it was made with it
	PrimaryUntil time.Time // zero if it never was the primary one
	Until        time.Time // Forever unless it is only kept
}

// Always is since when an account has the address that it was made with. An address
// that has signed in for long counts as such a one.
var Always = time.UnixMicro(1).UTC()

// Forever is the end of what does not end.
var Forever = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)

// Own reports whether the owner has the address, and it is not only kept.
func (o Other) Own() bool { return o.Use == Recovery || o.Use == Spare }

// OtherStore is what addresses other than the primary one need of the database.
type OtherStore interface {
	// AddAddress gives an account an address with a use. It reports false when
	// another account has the address at now, or it is the primary one of any.
	AddAddress(ctx context.Context, o Other, now time.Time) (bool, error)
	// KeepAddress stores an address that the account has had. It replaces what was
	// known of the address.
	KeepAddress(ctx context.Context, o Other) error
	// AddressByKey returns an address that is not the primary one of an account.
	AddressByKey(ctx context.Context, key string, now time.Time) (Other, bool, error)
	// AddressesOf returns the other addresses of an account at now, the oldest first.
	AddressesOf(ctx context.Context, accountID string, now time.Time) ([]Other, error)
	// UseAddress sets the use of an address, and until when it is kept.
	UseAddress(ctx context.Context, o Other) error
	// DropAddress forgets an address of an account.
	DropAddress(ctx context.Context, accountID, key string) error
	// DropAddresses forgets all other addresses of an account.
	DropAddresses(ctx context.Context, accountID string) error
}
