package store

import (
	"context"
	"database/sql"

	"portico/internal/store/engine"
)

// Snapshot runs fn on a connection that sees one state of all tables, while others write. It has
// no time limit.
func (s *Store) Snapshot(ctx context.Context, fn func(*sql.Conn) error) error {
	return s.engine.Explain(s.engine.Long(ctx, false, func(conn *sql.Conn, _ *engine.Tx) error { return fn(conn) }))
}

// Fill runs fn in one transaction without a time limit, while no process starts to serve the
// database. It refuses a SQLite file that is served (ErrInUse).
func (s *Store) Fill(ctx context.Context, fn func(*sql.Conn, *Tx) error) error {
	return s.engine.Alone(ctx, true, func() error {
		return s.engine.Explain(s.engine.Long(ctx, true, func(conn *sql.Conn, core *engine.Tx) error { return fn(conn, &Tx{core}) }))
	})
}

// Rework is Fill for changes that need no connection of their own.
func (s *Store) Rework(ctx context.Context, fn func(*Tx) error) error {
	return s.Fill(ctx, func(_ *sql.Conn, tx *Tx) error { return fn(tx) })
}
