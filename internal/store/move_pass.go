package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/ncruces/go-sqlite3"
)

// lockWait is how long a move tries to get the write lock from a busy server.
const lockWait = 30 * time.Second

// pass runs fn with one consistent state of the source, which it may hold, and
// one transaction of the target, which is committed when fn returns nil.
func (v *move) pass(ctx context.Context, begin string, fn func(context.Context, *sql.Conn, pgx.Tx) error) (err error) {
	pool, err := openPool(v.file.path, []string{"busy_timeout(5000)", "synchronous(full)", "foreign_keys(1)", "cache_size(-65536)"}, 1)
	if err != nil {
		return err
	}
	defer pool.Close()
	from, err := pool.Conn(ctx)
	if err != nil {
		return v.file.explain(err)
	}
	defer from.Close()
	if err := beginPatiently(ctx, from, begin); err != nil {
		return err
	}
	// After a commit there is nothing left to roll back, and it says so.
	defer func() { _, _ = from.ExecContext(context.WithoutCancel(ctx), "ROLLBACK") }()
	to, err := v.conn.BeginTx(ctx, pgx.TxOptions{})
	if err != nil {
		return err
	}
	defer func() { _ = to.Rollback(context.WithoutCancel(ctx)) }()
	for _, limit := range []string{"statement_timeout", "idle_in_transaction_session_timeout", "lock_timeout"} {
		if _, err := to.Exec(ctx, `SET LOCAL `+limit+` = 0`); err != nil {
			return err
		}
	}
	if err := fn(ctx, from, to); err != nil {
		return err
	}
	if err := to.Commit(ctx); !errors.Is(err, pgx.ErrTxClosed) {
		return err
	}
	return nil
}

func beginPatiently(ctx context.Context, conn *sql.Conn, begin string) error {
	for deadline := time.Now().Add(lockWait); ; {
		_, err := conn.ExecContext(ctx, begin)
		if !errors.Is(err, sqlite3.BUSY) || time.Now().After(deadline) || ctx.Err() != nil {
			return err
		}
	}
}

// copyAll fills the target with a snapshot. What an interrupted move has left
// goes first.
func (v *move) copyAll(ctx context.Context, from *sql.Conn, to pgx.Tx) error {
	for _, t := range v.tables {
		if _, err := to.Exec(ctx, `TRUNCATE `+quote(t.name)+` CASCADE`); err != nil {
			return err
		}
	}
	for _, t := range v.tables {
		list, err := from.QueryContext(ctx, t.selectAll())
		if err != nil {
			return v.file.explain(err)
		}
		rows := &sqliteRows{Rows: list, table: t, report: func(n int64) { v.options.Report("copy", t.name, n) }}
		_, err = to.CopyFrom(ctx, pgx.Identifier{t.name}, t.names(), rows)
		if err := errors.Join(rows.Err(), list.Close(), err); err != nil {
			return fmt.Errorf("copy the table %s: %w", t.name, v.file.explain(err))
		}
	}
	return nil
}

// catchUp copies what was changed since the last pass.
func (v *move) catchUp(ctx context.Context, from *sql.Conn, to pgx.Tx) error {
	for _, t := range v.tables {
		d, err := v.compare(ctx, from, to, t, "copy what was changed")
		if err == nil {
			err = d.apply(ctx, to)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// settle copies what was changed and compares again what that has touched. The
// tables come in an order in which none changes one before it.
func (v *move) settle(ctx context.Context, from *sql.Conn, to pgx.Tx) ([]MovedTable, error) {
	var done []MovedTable
	for _, t := range v.tables {
		d, err := v.compare(ctx, from, to, t, "switch")
		if err != nil {
			return nil, err
		}
		if !d.empty() {
			if err := d.apply(ctx, to); err != nil {
				return nil, err
			}
			if d, err = v.compare(ctx, from, to, t, "switch, once more"); err != nil {
				return nil, err
			}
		}
		if !d.empty() {
			return nil, d.failure()
		}
		done = append(done, MovedTable{t.name, d.rows})
	}
	return done, nil
}

// compareAll is settle when nothing may be different.
func (v *move) compareAll(ctx context.Context, from *sql.Conn, to pgx.Tx) ([]MovedTable, error) {
	var done []MovedTable
	for _, t := range v.tables {
		d, err := v.compare(ctx, from, to, t, "compare")
		if err != nil {
			return nil, err
		}
		if !d.empty() {
			return nil, d.failure()
		}
		done = append(done, MovedTable{t.name, d.rows})
	}
	return done, nil
}
