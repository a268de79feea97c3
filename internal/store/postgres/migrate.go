package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

// lockIn is how long a migration waits for a table before it gives up and is
// tried again. Queries of nodes that serve queue up behind it for that long.
const lockIn = 200 * time.Millisecond

// forMigrations returns the pool in the form that migrations need.
func forMigrations(pool *pgxpool.Pool) *sql.DB {
	db := sql.OpenDB(considerate{stdlib.GetPoolConnector(pool)})
	db.SetMaxIdleConns(0) // the pool keeps them
	return db
}

// considerate makes connections whose transactions wait only briefly for locks.
// A table change that waits for one reader blocks every query after it.
type considerate struct{ driver.Connector }

// Connect implements driver.Connector.
func (c considerate) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if conn, ok := conn.(*stdlib.Conn); ok {
		return considerateConn{conn}, err
	}
	return conn, err
}

type considerateConn struct{ *stdlib.Conn }

// BeginTx implements driver.ConnBeginTx. The limit holds for this transaction
// only, because a pooler gives the connection to other clients afterwards.
func (c considerateConn) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	tx, err := c.Conn.BeginTx(ctx, options)
	if err != nil {
		return nil, err
	}
	if _, err := c.ExecContext(ctx, fmt.Sprintf("SET LOCAL lock_timeout = %d", lockIn.Milliseconds()), nil); err != nil {
		_ = tx.Rollback()
		return nil, err
	}
	return tx, nil
}
