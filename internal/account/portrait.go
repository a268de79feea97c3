package account

import (
	"context"
	"time"
)

// Portrait is the picture that a user has given. Its id is random and is part of
// its address, so the address cannot be guessed.
type Portrait struct {
	AccountID string
	ID        string // another one for each picture
	Image     []byte // JPEG
	ChangedAt time.Time
}

// PortraitStore is what portraits need of the database.
type PortraitStore interface {
	// SavePortrait stores the picture of an account in place of the one before.
	SavePortrait(ctx context.Context, p Portrait) error
	// PortraitID returns the id of the picture of an account, "" for none.
	PortraitID(ctx context.Context, accountID string) (string, error)
	// PortraitImage returns the picture with the id, while its account is active.
	PortraitImage(ctx context.Context, id string) ([]byte, bool, error)
	DeletePortrait(ctx context.Context, accountID string) (bool, error)
}
