package outbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"portico/internal/clock"
	"portico/internal/ids"
	"portico/internal/secret"
)

// KeepDead is how long an undeliverable message is kept for the operator. It
// holds an address, so it is deleted after that.
const KeepDead = 14 * 24 * time.Hour

// Message is something to be sent to one address.
type Message struct {
	ID        string // permanent name of the message; Enqueue makes one when it is empty
	Template  string
	To        string // the stored address, never the typed one
	Locale    string
	Data      map[string]string // fills the template
	AccountID string            // the account it concerns; empty when there is none

	// NotAfter is when the content of the message expires, for example its
	// code. The message is not sent later. Zero means never.
	NotAfter time.Time

	// Suppressed makes the message cost the same as any other without being
	// sent.
	Suppressed bool
}

// sealed is the part of a message that only Portico can read.
type sealed struct {
	To         string            `json:"to"`
	Locale     string            `json:"locale"`
	Data       map[string]string `json:"data"`
	Suppressed bool              `json:"suppressed"`
}

// Config is what an Outbox depends on.
type Config struct {
	Clock clock.Clock
	Box   *secret.Box // of the purpose "outbox"
}

// Outbox accepts messages. It is safe for concurrent use.
type Outbox struct {
	clock clock.Clock
	box   *secret.Box
	wake  chan struct{} // holds one token when something may be due
}

// New returns an Outbox.
func New(cfg Config) *Outbox {
	return &Outbox{clock: cfg.Clock, box: cfg.Box, wake: make(chan struct{}, 1)}
}

// Enqueue writes the message in the caller's transaction and wakes the Runner,
// which sends it as soon as the transaction is committed.
func (o *Outbox) Enqueue(ctx context.Context, tx Store, m Message) error {
	if m.Template == "" || m.To == "" {
		return errors.New("a message needs a template and an address")
	}
	if m.ID == "" {
		m.ID = ids.New()
	}
	content, err := json.Marshal(sealed{m.To, m.Locale, m.Data, m.Suppressed})
	if err != nil {
		return fmt.Errorf("seal the message: %w", err)
	}
	now := o.clock.Now()
	err = tx.InsertMessage(ctx, Record{
		ID: m.ID, Template: m.Template, AccountID: m.AccountID,
		Payload:   o.box.Seal(content, m.ID),
		CreatedAt: now, DueAt: now, NotAfter: m.NotAfter,
	})
	if err != nil {
		return fmt.Errorf("enqueue the message: %w", err)
	}
	tx.AfterCommit(o.signal)
	return nil
}

// signal never blocks: one token stands for any number of messages.
func (o *Outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// open returns the message that a record holds.
func (o *Outbox) open(r Record) (Message, error) {
	content, err := o.box.Open(r.Payload, r.ID)
	if err != nil {
		return Message{}, err
	}
	var s sealed
	if err := json.Unmarshal(content, &s); err != nil {
		return Message{}, err
	}
	return Message{
		ID: r.ID, Template: r.Template, AccountID: r.AccountID, NotAfter: r.NotAfter,
		To: s.To, Locale: s.Locale, Data: s.Data, Suppressed: s.Suppressed,
	}, nil
}
