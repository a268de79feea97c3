package outbox

import (
	"context"
	"time"
)

// State is what became of an email.
type State string

// The states of an email.
const (
	Waiting    State = "waiting"    // not sent yet; the answer is from the last attempt
	Accepted   State = "accepted"   // by the mail server
	GivenUp    State = "given up"   // it can be sent again by an operator
	Late       State = "too late"   // its content expired before it was sent
	Suppressed State = "suppressed" // never sent, on purpose
	Dropped    State = "dropped"    // deleted before it was sent: by an operator, or with its invitation
)

// Outcome is what became of an email to a mailbox. It has no content and no address.
type Outcome struct {
	ID       string // of the message
	Mailbox  []byte // keyed hash of the address
	Template string
	AskedAt  time.Time
	At       time.Time // of the state
	State    State
	Answer   string // of the mail server, or the reason
}

// OutcomeStore is the part of the database that holds outcomes.
type OutcomeStore interface {
	InsertOutcome(ctx context.Context, o Outcome) error

	// UpdateOutcome sets At, State and Answer of the message; it does nothing
	// without an outcome.
	UpdateOutcome(ctx context.Context, o Outcome) error

	// OutcomesOf returns up to limit outcomes of the mailbox, the newest first.
	OutcomesOf(ctx context.Context, mailbox []byte, limit int) ([]Outcome, error)
}

// begin writes that the message waits.
func begin(ctx context.Context, tx Store, m Message, now time.Time) error {
	if m.Mailbox == nil {
		return nil
	}
	return tx.InsertOutcome(ctx, Outcome{ID: m.ID, Mailbox: m.Mailbox, Template: m.Template, AskedAt: now, At: now, State: Waiting})
}

// became writes the new state of the message.
func (r *Runner) became(ctx context.Context, tx Store, record Record, state State) error {
	if !r.Lane.emails() {
		return nil
	}
	return tx.UpdateOutcome(ctx, Outcome{ID: record.ID, At: r.Outbox.clock.Now(), State: state, Answer: record.Reason})
}
