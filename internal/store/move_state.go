package store

import (
	"context"
	"errors"
	"time"
)

// MoveState says what a move has to do with a database; "" is nothing.
type MoveState string

// A database is served as ever while its data is Leaving, and never again once
// it is Gone. One to which it is Coming is not served before all is there.
const (
	MoveLeaving MoveState = "leaving"
	MoveGone    MoveState = "gone"
	MoveComing  MoveState = "coming"
)

// ErrMoved says that a database is not the one that counts any more.
var ErrMoved = errors.New("everything in this SQLite database was moved to PostgreSQL by 'portico move': set PORTICO_DATABASE_URL (database_url) to that database, keep the key file as it is, and start again")

// ErrComing says that a database is not the one that counts yet.
var ErrComing = errors.New("this database is being filled by 'portico move', or that was interrupted: run 'portico move' again until it says that it is done, and serve the database that it moves from until then")

// MoveState returns what a move has to do with this database.
func (t *Tx) MoveState(ctx context.Context) (MoveState, error) {
	state, _, err := first(ctx, t, `SELECT state FROM move WHERE id = 1`, nil, func(row scanner) (state string, err error) {
		return state, row.Scan(&state)
	})
	return MoveState(state), err
}

// KeepMoveState replaces it. Until then ClaimMessages claims nothing.
func (t *Tx) KeepMoveState(ctx context.Context, state MoveState, until time.Time) error {
	_, err := t.exec(ctx, `INSERT INTO move (id, state, until) VALUES (1, $1, $2)
		ON CONFLICT (id) DO UPDATE SET state = $1, until = $2`, string(state), micros(until))
	return err
}

// ForgetMoveState makes it a database that no move has to do with.
func (t *Tx) ForgetMoveState(ctx context.Context) error {
	_, err := t.exec(ctx, `DELETE FROM move WHERE id = 1`)
	return err
}

// MailUnderWay returns how many messages may be on their way to a mail server:
// claimed with a lease that ends after now, and by the horizon.
func (t *Tx) MailUnderWay(ctx context.Context, now, horizon time.Time) (int64, error) {
	n, _, err := first(ctx, t, `SELECT COUNT(*) FROM outbox WHERE dead_at = 0 AND due_at > $1 AND due_at <= $2 AND uncertain > 0`,
		[]any{micros(now), micros(horizon)}, func(row scanner) (n int64, err error) { return n, row.Scan(&n) })
	return n, err
}

// CheckHome returns ErrMoved or ErrComing when this database is not the one that
// counts, and must not be served.
func (s *Store) CheckHome(ctx context.Context) error {
	state, err := s.engine.read().MoveState(ctx)
	switch {
	case err != nil:
		return err
	case state == MoveGone:
		return ErrMoved
	case state == MoveComing:
		return ErrComing
	}
	return nil
}
