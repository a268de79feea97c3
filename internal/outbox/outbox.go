package outbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"portico/internal/clock"
	"portico/internal/ids"
	"portico/internal/secret"
)

// KeepDead is how long an undeliverable message is kept for the operator, and at
// least how long the outcome of any message is. A message holds an address, so it
// is deleted after that.
const KeepDead = 14 * 24 * time.Hour

// Message is something to be sent to one address or, in the other lanes, to one
// OpenID client.
type Message struct {
	ID        string // permanent name of the message; Enqueue makes one when it is empty
	Template  string
	To        string // the stored address, never the typed one; or the id of a client
	Locale    string
	Data      map[string]string // fills the template
	AccountID string            // the account it concerns; empty when there is none

	// NotAfter is when the content of the message expires, for example its
	// code. The message is not sent later. Zero means never.
	NotAfter time.Time

	// Mailbox is the keyed hash of the address. If it is set, the outbox keeps what
	// became of the message.
	Mailbox []byte

	// Told is set if the visitor who caused the message learns that the mail server
	// refuses it.
	Told *Told

	// Suppressed makes the message cost the same as any other without being
	// sent.
	Suppressed bool

	// Awaited says that somebody waits for the email. It never waits behind others.
	Awaited bool
}

// sealed is the part of a message that only Portico can read.
type sealed struct {
	To         string            `json:"to"`
	Locale     string            `json:"locale"`
	Data       map[string]string `json:"data"`
	Suppressed bool              `json:"suppressed"`
	Told       *Told             `json:"told,omitempty"`
}

// Lane is a kind of messages with a runner of its own, so that slow recipients of
// one kind do not delay the other.
type Lane int

// The lanes.
const (
	Mail         Lane = iota // emails that nobody waits for, which may be very many
	Awaited                  // emails that somebody waits for
	Logouts                  // to OpenID clients of the settings, about sessions that have ended
	GuestLogouts             // to guests, which name their addresses themselves

	Lanes = iota // how many there are
)

// The templates of the two lanes of logouts.
const (
	LogoutTemplate      = "backchannel-logout"
	GuestLogoutTemplate = "backchannel-logout-guest"
)

// Emails are the lanes whose messages are emails.
var Emails = []Lane{Mail, Awaited}

func (l Lane) emails() bool { return slices.Contains(Emails, l) }

// Name returns the name of the lane in metrics.
func (l Lane) Name() string { return [Lanes]string{"mail", "awaited", "logouts", "guest_logouts"}[l] }

func laneOf(m Message) Lane {
	switch {
	case m.Template == LogoutTemplate:
		return Logouts
	case m.Template == GuestLogoutTemplate:
		return GuestLogouts
	case m.Awaited:
		return Awaited
	}
	return Mail
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
	wakes [Lanes]chan struct{} // each holds one token when something may be due
	mails atomic.Bool          // whether an email was enqueued
}

// New returns an Outbox.
func New(cfg Config) *Outbox {
	o := &Outbox{clock: cfg.Clock, box: cfg.Box}
	for lane := range o.wakes {
		o.wakes[lane] = make(chan struct{}, 1)
	}
	return o
}

// Enqueue writes messages in the caller's transaction and wakes their Runners,
// which send them as soon as the transaction is committed.
func (o *Outbox) Enqueue(ctx context.Context, tx Store, all ...Message) error {
	var records []Record
	for _, m := range all {
		r, err := o.accept(ctx, tx, m)
		if err != nil {
			return err
		}
		records = append(records, r)
	}
	if err := tx.InsertMessage(ctx, records...); err != nil {
		return fmt.Errorf("enqueue the message: %w", err)
	}
	tx.AfterCommit(func() {
		for _, r := range records {
			if r.Lane.emails() {
				o.mails.Store(true)
			}
			o.Wake(r.Lane)
		}
	})
	return nil
}

// accept returns the record of a message, and writes what belongs to it.
func (o *Outbox) accept(ctx context.Context, tx Store, m Message) (Record, error) {
	if m.Template == "" || m.To == "" {
		return Record{}, errors.New("a message needs a template and an address")
	}
	if m.ID == "" {
		m.ID = ids.New()
	}
	content, err := json.Marshal(sealed{m.To, m.Locale, m.Data, m.Suppressed, m.Told})
	if err != nil {
		return Record{}, fmt.Errorf("seal the message: %w", err)
	}
	if err := forgetRefusal(ctx, tx, m); err != nil {
		return Record{}, fmt.Errorf("forget the refusal of the mailbox: %w", err)
	}
	client, lane := "", laneOf(m)
	if !lane.emails() {
		client = m.To
	}
	now := o.clock.Now()
	if err := begin(ctx, tx, m, now); err != nil {
		return Record{}, fmt.Errorf("keep the outcome of the message: %w", err)
	}
	return Record{
		ID: m.ID, Template: m.Template, AccountID: m.AccountID, ClientID: client,
		Payload:   o.box.Seal(content, m.ID),
		CreatedAt: now, DueAt: now, NotAfter: m.NotAfter, Lane: lane,
	}, nil
}

// HasEnqueued reports whether this process has enqueued an email.
func (o *Outbox) HasEnqueued() bool { return o.mails.Load() }

// Wake makes the runner of a lane look for messages that are due. It never blocks:
// one token stands for any number of messages.
func (o *Outbox) Wake(lane Lane) {
	select {
	case o.wakes[lane] <- struct{}{}:
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
		To: s.To, Locale: s.Locale, Data: s.Data, Suppressed: s.Suppressed, Told: s.Told,
	}, nil
}
