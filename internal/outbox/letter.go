package outbox

import (
	"context"
	"fmt"
	"time"

	"portico/internal/fault"
)

// Letter is a message that could not be delivered, without its content.
type Letter struct {
	ID        string
	Template  string
	To        string // empty when the sealed part cannot be opened
	CreatedAt time.Time
	DeadAt    time.Time
	Claims    int // deliveries that were started
	Reason    string
}

// List returns up to limit dead messages, the newest first.
func (o *Outbox) List(ctx context.Context, tx Store, limit int) ([]Letter, error) {
	records, err := tx.DeadMessages(ctx, limit)
	if err != nil {
		return nil, fmt.Errorf("list the dead letters: %w", err)
	}
	letters := make([]Letter, 0, len(records))
	for _, r := range records {
		letter := Letter{
			ID: r.ID, Template: r.Template,
			CreatedAt: r.CreatedAt, DeadAt: r.DeadAt, Claims: r.Claims, Reason: r.Reason,
		}
		if m, err := o.open(r); err == nil {
			letter.To = m.To
		}
		letters = append(letters, letter)
	}
	return letters, nil
}

// Retry puts a dead message back into the queue, due at once, as if it had
// never been tried. It returns a Missing fault (CodeUnknown) when there is no
// such message or its content has expired.
func (o *Outbox) Retry(ctx context.Context, tx Store, id string) error {
	ok, err := tx.ReviveMessage(ctx, id, o.clock.Now())
	if err != nil {
		return fmt.Errorf("retry the dead letter: %w", err)
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
