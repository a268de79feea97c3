package store

import (
	"context"
	"time"
)

// KeepMoveState stores the part of this database in a move. Until the given time
// ClaimMessages claims nothing.
func (t *Tx) KeepMoveState(ctx context.Context, state MoveState, until time.Time) error {
	return t.core.KeepMoveState(ctx, state, until)
}

// MoveState returns the part of this database in a move.
func (t *Tx) MoveState(ctx context.Context) (MoveState, error) { return t.core.MoveState(ctx) }

// ForgetMoveState makes this a database without a move.
func (t *Tx) ForgetMoveState(ctx context.Context) error { return t.core.ForgetMoveState(ctx) }

// MailUnderWay returns how many messages may be on their way to a mail server:
// claimed with a lease that ends after now, and by the horizon.
func (t *Tx) MailUnderWay(ctx context.Context, now, horizon time.Time) (int64, error) {
	return only(ctx, t, `SELECT COUNT(*) FROM outbox WHERE dead_at = 0 AND due_at > $1 AND due_at <= $2 AND uncertain > 0`,
		[]any{micros(now), micros(horizon)}, scanOne[int64])
}

// CheckHome returns ErrMoved or ErrComing when another database has the newest data. This
// one must not be served then.
func (s *Store) CheckHome(ctx context.Context) error {
	state, err := s.engine.Read().MoveState(ctx)
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

// ForgetMove removes what an interrupted move has left, so that writes stop noting their
// keys for it. It does not touch a running move.
func (s *Store) ForgetMove(ctx context.Context) error { return s.engine.ForgetMove(ctx) }
