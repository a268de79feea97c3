package move

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/ncruces/go-sqlite3"

	"portico/internal/store/sqlite"
)

// lockWait is how long a move tries to get the write lock from a busy server.
const lockWait = 30 * time.Second

// open begins what a move does on both sides; ended ends it, and takes back what
// was not committed.
func (v *transfer) open(ctx context.Context) (ended func() error, err error) {
	pool, err := sqlite.OpenPool(v.file.Path(), []string{"busy_timeout(5000)", "synchronous(full)", "foreign_keys(1)", "cache_size(-65536)"}, 1)
	if err != nil {
		return nil, err
	}
	if v.from, err = pool.Conn(ctx); err != nil {
		return nil, errors.Join(v.file.Explain(err), pool.Close())
	}
	if v.to, err = v.conn.BeginTx(ctx, pgx.TxOptions{}); err == nil {
		// A commit that the source is told of must not be lost by a server that
		// promises less than that.
		_, err = v.to.Exec(ctx, `SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = 0;
			SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'`)
	}
	ended = func() error {
		if v.to != nil {
			_ = v.to.Rollback(context.WithoutCancel(ctx)) // after a commit there is nothing left to roll back
		}
		return errors.Join(v.from.Close(), pool.Close())
	}
	if err != nil {
		return nil, errors.Join(err, ended())
	}
	return ended, nil
}

// hold runs fn with one state of the source, which it may commit.
func (v *transfer) hold(ctx context.Context, begin string, fn func(context.Context) error) error {
	if err := beginPatiently(ctx, v.from, begin); err != nil {
		return err
	}
	// After a commit there is nothing left to roll back, and it says so.
	defer func() { _, _ = v.from.ExecContext(context.WithoutCancel(ctx), "ROLLBACK") }()
	return fn(ctx)
}

func beginPatiently(ctx context.Context, conn *sql.Conn, begin string) error {
	for deadline := time.Now().Add(lockWait); ; {
		_, err := conn.ExecContext(ctx, begin)
		if !errors.Is(err, sqlite3.BUSY) || time.Now().After(deadline) || ctx.Err() != nil {
			return err
		}
	}
}

// copyAll fills the target with a snapshot, and compares it. It first removes the
// remains of an interrupted move.
func (v *transfer) copyAll(ctx context.Context) (err error) {
	if v.journal.place, err = v.journal.end(ctx, v.from); err != nil {
		return err
	}
	for _, t := range v.tables {
		if _, err := v.to.Exec(ctx, `TRUNCATE `+quote(t.name)+` CASCADE`); err != nil {
			return err
		}
	}
	for _, t := range v.tables {
		list, err := v.from.QueryContext(ctx, t.selectAll())
		if err != nil {
			return v.file.Explain(err)
		}
		rows := &sqliteRows{Rows: list, table: t, report: func(n int64) { v.options.Report("copy", t.name, n) }}
		_, err = v.to.CopyFrom(ctx, pgx.Identifier{t.name}, t.names(), rows)
		if err := errors.Join(rows.Err(), list.Close(), err); err != nil {
			return fmt.Errorf("copy the table %s: %w", t.name, v.file.Explain(err))
		}
	}
	return v.compareAll(ctx)
}
