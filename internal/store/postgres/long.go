package postgres

import (
	"context"
	"database/sql"

	"portico/internal/store/engine"
)

// Long implements engine.Engine.
func (p *DB) Long(ctx context.Context, write bool, fn func(*sql.Conn, *engine.Tx) error) error {
	begin := "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
	if write {
		begin = "BEGIN ISOLATION LEVEL READ COMMITTED"
	}
	conn, err := p.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, begin+`; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = 0`); err != nil {
		return err
	}
	if err = fn(conn, &engine.Tx{Runner: connRunner{conn}}); err == nil {
		_, err = conn.ExecContext(ctx, "COMMIT")
	}
	if err != nil {
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK") // of a connection that may be gone
	}
	return err
}

// connRunner runs statements in the transaction of a connection.
type connRunner struct{ conn *sql.Conn }

func (r connRunner) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	values, err := engine.Bind(args)
	if err != nil {
		return 0, err
	}
	done, err := r.conn.ExecContext(ctx, query, values...)
	if err != nil {
		return 0, judge(err)
	}
	return done.RowsAffected()
}

func (r connRunner) Query(ctx context.Context, query string, args ...any) (engine.Rows, error) {
	values, err := engine.Bind(args)
	if err != nil {
		return nil, err
	}
	return r.conn.QueryContext(ctx, query, values...)
}
