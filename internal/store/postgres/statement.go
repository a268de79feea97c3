package postgres

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"portico/internal/budget"
	"portico/internal/store/engine"
)

// reader runs each statement on any connection, all of them within the time of
// one request. It takes a connection only when a statement needs one: most
// reads are answered from memory.
type reader struct {
	*DB
	until time.Time // zero before the first statement
}

func (r *reader) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if r.until.IsZero() {
		r.until = time.Now().Add(budget.Of(ctx).Left(r.answerIn))
	}
	return spending(ctx, r.until)
}

func (r *reader) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	ctx, cancel := r.within(ctx)
	defer cancel()
	conn, err := r.acquire(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Release()
	return runner{ctx, conn}.Exec(ctx, query, args...)
}

func (r *reader) Query(ctx context.Context, query string, args ...any) (engine.Rows, error) {
	values, err := engine.Bind(args)
	if err != nil {
		return nil, err
	}
	ctx, cancel := r.within(ctx)
	conn, err := r.acquire(ctx)
	if err != nil {
		cancel()
		return nil, err
	}
	found, err := conn.Query(ctx, query, values...)
	if err != nil {
		conn.Release()
		cancel()
		return nil, judge(err)
	}
	return &resultRows{Rows: found, end: func() { conn.Release(); cancel() }}, nil
}

// within bounds an operation by what the earlier steps of its request have left
// of the time.
func (p *DB) within(ctx context.Context) (context.Context, context.CancelFunc) {
	return spending(ctx, time.Now().Add(budget.Of(ctx).Left(p.answerIn)))
}

// spending bounds a wait and charges it to its request. It ignores that the
// caller goes away: canceling costs a connection, and a stranger could cause
// that at will.
func spending(ctx context.Context, until time.Time) (context.Context, context.CancelFunc) {
	spent, began := budget.Of(ctx), time.Now()
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), until)
	return ctx, func() {
		cancel()
		spent.Spend(time.Since(began))
	}
}

// runner runs statements on the connection of a transaction. It ignores the
// context of a statement and uses the time limit of the transaction.
type runner struct {
	ctx  context.Context
	conn *pgxpool.Conn
}

func (r runner) Exec(_ context.Context, query string, args ...any) (int64, error) {
	values, err := engine.Bind(args)
	if err != nil {
		return 0, err
	}
	tag, err := r.conn.Exec(r.ctx, query, values...)
	return tag.RowsAffected(), judge(err)
}

func (r runner) Query(_ context.Context, query string, args ...any) (engine.Rows, error) {
	values, err := engine.Bind(args)
	if err != nil {
		return nil, err
	}
	found, err := r.conn.Query(r.ctx, query, values...)
	if err != nil {
		return nil, judge(err)
	}
	return &resultRows{Rows: found, end: func() {}}, nil
}

// resultRows gives its connection back when it is closed.
type resultRows struct {
	pgx.Rows
	end func()
}

func (r *resultRows) Close() error {
	r.Rows.Close()
	if r.end != nil {
		r.end()
		r.end = nil
	}
	return nil
}

func (r *resultRows) Err() error { return judge(r.Rows.Err()) }

// judge turns an error into a fault unless the statement itself caused it. The
// database may be away, too slow, full, or a standby now.
func judge(err error) error {
	if err != nil && away(err) {
		return engine.Unavailable(err)
	}
	return err
}

func away(err error) bool {
	if state := sqlState(err); state != "" {
		return awayState(state)
	}
	_, network := errors.AsType[net.Error](err)
	return network || pgconn.Timeout(err) || pgconn.SafeToRetry(err) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// broken reports whether a statement failed because its connection had ended,
// so that it may work on another. A timeout is not a reason to spend as much time
// again.
func broken(err error) bool {
	if _, never := errors.AsType[*pgconn.ConnectError](err); never || errors.Is(err, errResting) {
		return false
	}
	state := sqlState(err)
	return state == "57P01" || state == "57P02" || state == "" && away(err) && !pgconn.Timeout(err) && !errors.Is(err, context.DeadlineExceeded)
}

// sqlState returns the code of an error that the database sent, "" for any
// other error.
func sqlState(err error) string {
	if answer, ok := errors.AsType[*pgconn.PgError](err); ok {
		return answer.Code
	}
	return ""
}

func awayState(state string) bool {
	switch state[:2] {
	case "08", // connection
		"53", // resources: disk, memory, connections
		"57", // operator: shut down, starting up, statement canceled
		"58": // system: an I/O error
		return true
	}
	return state == "25006" || state == stateLocked // 25006: the server is a standby now
}

// contested reports whether two transactions conflicted. The database has
// rolled this one back, and a retry may work.
func contested(err error) bool {
	state := sqlState(err)
	return strings.HasPrefix(state, "40") && state != stateUnknown || state == stateLocked
}

// stateLocked says that a lock was not available in time.
const stateLocked = "55P03"

// stateTaken says that a unique key is taken. A condition of the statement looked
// for it, so a concurrent transaction took it since; a retry sees its row.
const stateTaken = "23505"

// stateUnknown is what distributed databases answer when they do not know the
// outcome of a commit.
const stateUnknown = "40003"

// stateWarning is a warning without a code of its own, for example about a commit
// that no standby confirmed.
const stateWarning = "01000"
