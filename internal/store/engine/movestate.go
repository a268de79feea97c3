package engine

import (
	"context"
	"errors"
	"time"
)

// MoveState is the part of a database in a move; "" for none.
type MoveState string

// A database is served as before while its data is Leaving, and never again once
// it is Gone. A database is not served while data is Coming to it.
const (
	MoveLeaving MoveState = "leaving"
	MoveGone    MoveState = "gone"
	MoveComing  MoveState = "coming"
)

// ErrMoved says that the data of this database was moved to another one.
var ErrMoved = errors.New("everything in this SQLite database was moved to PostgreSQL by 'portico move': set PORTICO_DATABASE_URL (database_url) to that database, keep the key file as it is, and start again")

// ErrComing says that a move to this database has not ended.
var ErrComing = errors.New("this database is being filled by 'portico move', or that was interrupted: run 'portico move' again until it says that it is done, and serve the database that it moves from until then")

// MoveState returns the part of this database in a move.
func (t *Tx) MoveState(ctx context.Context) (MoveState, error) {
	state, _, err := First(ctx, t, `SELECT state FROM move WHERE id = 1`, nil, One[MoveState])
	return state, err
}

// KeepMoveState replaces it. Emails wait until the given time.
func (t *Tx) KeepMoveState(ctx context.Context, state MoveState, until time.Time) error {
	us := int64(0)
	if !until.IsZero() {
		us = until.UnixMicro()
	}
	_, err := t.Exec(ctx, `INSERT INTO move (id, state, until) VALUES (1, $1, $2)
		ON CONFLICT (id) DO UPDATE SET state = $1, until = $2`, string(state), us)
	return err
}

// ForgetMoveState makes this a database without a move.
func (t *Tx) ForgetMoveState(ctx context.Context) error {
	_, err := t.Exec(ctx, `DELETE FROM move WHERE id = 1`)
	return err
}
