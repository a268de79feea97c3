package outbox

import (
	"context"
	"fmt"
	"time"

	"portico/internal/fault"
)

// What a transaction changes at most, so that it has time enough and other writes wait briefly.
const (
	flushBatch = 1000 // of each lane
	retryBatch = 25   // each with an outcome and a record of its own
)

// Listed is a message that is not delivered, without its content.
type Listed struct {
	ID         string
	Template   string
	AccountID  string
	To         string // empty when the sealed part cannot be opened
	Suppressed bool
	CreatedAt  time.Time
	DueAt      time.Time // the next attempt; while it is being sent, the end of its claim
	DeadAt     time.Time // zero while it waits
	Claims     int       // deliveries that were started
	Reason     string    // of the last failure
	Again      bool      // Retry sends it again
}

// Dead reports whether the message was given up.
func (l Listed) Dead() bool { return !l.DeadAt.IsZero() }

func (o *Outbox) listed(r Record) Listed {
	l := Listed{
		ID: r.ID, Template: r.Template, AccountID: r.AccountID, CreatedAt: r.CreatedAt, DueAt: r.DueAt, DeadAt: r.DeadAt, Claims: r.Claims, Reason: r.Reason, Again: o.Revives(r),
	}
	if m, err := o.open(r); err == nil {
		l.To, l.Suppressed = m.To, m.Suppressed
	}
	return l
}

// Waiting returns up to limit messages of lanes that wait, or of all lanes, the first due first.
func (o *Outbox) Waiting(ctx context.Context, tx Store, limit int, lanes ...Lane) ([]Listed, error) {
	return o.list(tx.WaitingMessages(ctx, limit, lanes...))
}

// Dead returns up to limit messages that were given up, the newest first.
func (o *Outbox) Dead(ctx context.Context, tx Store, limit int) ([]Listed, error) {
	return o.list(tx.DeadMessages(ctx, limit))
}

func (o *Outbox) list(records []Record, err error) ([]Listed, error) {
	if err != nil {
		return nil, fmt.Errorf("list the messages: %w", err)
	}
	list := make([]Listed, 0, len(records))
	for _, r := range records {
		list = append(list, o.listed(r))
	}
	return list, nil
}

// Retry puts a dead message back into the queue, due at once, as if it had
// never been tried, and returns it. It returns a Missing fault (CodeUnknown) when there is no
// such message or its content has expired.
func (o *Outbox) Retry(ctx context.Context, tx Store, id string) (Listed, error) {
	revived, err := o.revive(ctx, tx, id, o.clock.Now())
	switch {
	case err != nil:
		return Listed{}, err
	case len(revived) == 0:
		return Listed{}, fault.New(fault.Missing, CodeUnknown)
	}
	return o.listed(revived[0]), nil
}

// Revives reports whether Retry sends a message again.
func (o *Outbox) Revives(r Record) bool {
	return !r.DeadAt.IsZero() && (r.NotAfter.IsZero() || r.NotAfter.After(o.clock.Now()))
}

// RetrySome does the same with a batch of the messages that died before now and whose
// content has not expired, and returns them. A caller who repeats it with the same time
// gets none that has died again.
func (o *Outbox) RetrySome(ctx context.Context, tx Store, now time.Time) ([]Record, error) {
	return o.revive(ctx, tx, "", now)
}

func (o *Outbox) revive(ctx context.Context, tx Store, id string, now time.Time) ([]Record, error) {
	revived, err := tx.ReviveMessages(ctx, id, now, retryBatch)
	for _, r := range revived {
		if err == nil {
			err = tx.UpdateOutcome(ctx, Outcome{ID: r.ID, At: now, State: Waiting, Answer: r.Reason})
		}
	}
	if err != nil {
		return nil, fmt.Errorf("retry the message: %w", err)
	}
	o.wakeAfter(tx)
	return revived, nil
}

// Flush makes a batch of the waiting messages due now. It returns their number, and whether
// there may be more. It leaves a message that is due within Near: it may be a claimed
// one, which is being sent.
func (o *Outbox) Flush(ctx context.Context, tx Store) (n int64, more bool, err error) {
	now := o.clock.Now()
	for lane := range Lane(Lanes) {
		made, err := tx.HastenMessages(ctx, lane, now, now.Add(Near), flushBatch)
		if err != nil {
			return 0, false, fmt.Errorf("flush the outbox: %w", err)
		}
		n, more = n+made, more || made == flushBatch
	}
	o.wakeAfter(tx)
	return n, more, nil
}

// Drop deletes a message that waits or is dead. A message that is being sent may
// still arrive. It returns a Missing fault (CodeUnknown) when there is no such
// message.
func (o *Outbox) Drop(ctx context.Context, tx Store, id string) (Listed, error) {
	record, found, err := tx.Message(ctx, id)
	if err == nil && !found {
		return Listed{}, fault.New(fault.Missing, CodeUnknown)
	}
	if err == nil {
		err = tx.UpdateOutcome(ctx, Outcome{ID: id, At: o.clock.Now(), State: Dropped, Answer: record.Reason})
	}
	if err == nil {
		err = tx.DeleteMessage(ctx, id)
	}
	if err != nil {
		return Listed{}, fmt.Errorf("drop the message: %w", err)
	}
	return o.listed(record), nil
}

func (o *Outbox) wakeAfter(tx Store) {
	tx.AfterCommit(func() {
		for lane := range Lane(Lanes) {
			o.Wake(lane)
		}
	})
}
