package sqlite

import (
	"context"
	"database/sql"

	"portico/internal/store/engine"
)

// Long implements engine.Engine.
func (s *DB) Long(ctx context.Context, write bool, fn func(*sql.Conn, *engine.Tx) error) error {
	begin := "BEGIN"
	if write {
		begin = "BEGIN IMMEDIATE"
	}
	conn, err := s.writerDB.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, begin); err != nil {
		return err
	}
	tx, done := TxOn(conn)
	err = fn(conn, tx)
	done()
	if err == nil {
		_, err = conn.ExecContext(ctx, "COMMIT")
	}
	if err != nil {
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK") // a full disk has rolled back already
	}
	return err
}
