package outbox

import (
	"context"
	"errors"
	"time"
)

// KeepRefusal is how long the refusal of a mailbox is kept.
const KeepRefusal = 24 * time.Hour

// Told marks a message whose refusal the visitor learns.
type Told struct {
	Mailbox []byte    `json:"mailbox"` // keyed hash of the address
	AskedAt time.Time `json:"asked_at"`
}

// Refusal says that the mail server refused a message to the mailbox for good.
type Refusal struct {
	Mailbox   []byte
	AskedAt   time.Time // when the visitor asked for the message
	RefusedAt time.Time
}

// RefusalStore is the part of the database that holds refusals.
type RefusalStore interface {
	// InsertRefusal keeps the refusal, in place of an older one of the mailbox.
	InsertRefusal(ctx context.Context, r Refusal) error

	// RefusalOf returns the refusal of the mailbox.
	RefusalOf(ctx context.Context, mailbox []byte) (Refusal, bool, error)

	// DeleteRefusal forgets the refusal of the mailbox, if there is one.
	DeleteRefusal(ctx context.Context, mailbox []byte) error
}

// refused reports whether the server refused the message itself for good.
func refused(failure error) bool {
	answer, ok := errors.AsType[interface {
		error
		Refused() bool
	}](failure)
	return ok && answer.Refused()
}

// forgetRefusal forgets what an earlier message has shown about the mailbox.
func forgetRefusal(ctx context.Context, tx Store, m Message) error {
	if m.Told == nil {
		return nil
	}
	return tx.DeleteRefusal(ctx, m.Told.Mailbox)
}
