package outbox

import (
	"context"
	"fmt"
	"time"

	"portico/internal/fault"
)

// Undelivered is a message that could not be delivered, without its content.
type Undelivered struct {
	ID        string
	Template  string
	To        string // empty when the sealed part cannot be opened
	CreatedAt time.Time
	DeadAt    time.Time
	Claims    int // deliveries that were started
	Reason    string
}

// List returns up to limit dead messages, the newest first.
func (o *Outbox) List(ctx context.Context, tx Store, limit int) ([]Undelivered, error) {
	records, err := tx.DeadMessages(ctx, limit)
	if err != nil {
		return nil, fmt.Errorf("list the undelivered messages: %w", err)
	}
	list := make([]Undelivered, 0, len(records))
	for _, r := range records {
		u := Undelivered{
			ID: r.ID, Template: r.Template,
			CreatedAt: r.CreatedAt, DeadAt: r.DeadAt, Claims: r.Claims, Reason: r.Reason,
		}
		if m, err := o.open(r); err == nil {
			u.To = m.To
		}
		list = append(list, u)
	}
	return list, nil
}

// Retry puts a dead message back into the queue, due at once, as if it had
// never been tried. It returns a Missing fault (CodeUnknown) when there is no
// such message or its content has expired.
func (o *Outbox) Retry(ctx context.Context, tx Store, id string) error {
	ok, err := tx.ReviveMessage(ctx, id, o.clock.Now())
	if err != nil {
		return fmt.Errorf("retry the undelivered message: %w", err)
	}
	if !ok {
		return fault.New(fault.Missing, CodeUnknown)
	}
	tx.AfterCommit(func() {
		o.Wake(Mail)
		o.Wake(Logouts)
		o.Wake(GuestLogouts)
	})
	return nil
}

// Counts returns the state of the queue, for metrics.
func (o *Outbox) Counts(ctx context.Context, tx Store) (Counts, error) {
	return tx.CountMessages(ctx)
}
