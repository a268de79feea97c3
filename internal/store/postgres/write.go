package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"portico/internal/ids"
	"portico/internal/store/engine"
)

const mostTries = 6

func locks() engine.Locks {
	return engine.Locks{
		Row:     " FOR NO KEY UPDATE",
		Session: " FOR NO KEY UPDATE OF a FOR KEY SHARE OF s",
		Grant:   "SELECT id FROM openid_grant WHERE id = $1 FOR NO KEY UPDATE",
		Free:    " FOR UPDATE SKIP LOCKED",
		Throttle: `INSERT INTO throttle (key, attempts, last_at, forget_at) VALUES ($1, 0, 0, 0)
			ON CONFLICT (key) DO UPDATE SET attempts = throttle.attempts RETURNING attempts, last_at, forget_at`,
	}
}

// beginText starts a transaction with its time limits. They protect other
// transactions: a transaction that waits, runs too long or is frozen loses its row
// locks. A wait for a lock ends in time for a retry. So does a deadlock, before the
// server would detect it after a second. The limits are set per transaction because a
// pooler shares connections.
func beginText(whole time.Duration) string {
	ms := whole.Milliseconds()
	return fmt.Sprintf("BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = %d; SET LOCAL statement_timeout = %d; SET LOCAL idle_in_transaction_session_timeout = %d",
		ms*2/5, ms*6/7, ms*2)
}

// writing is one write that may take several transactions.
//
// Each transaction leaves a key of the write together with what it changes. When the
// connection breaks during a commit, its outcome is unknown. The next transaction inserts
// the same key first. If the key is there, the commit has happened and the write is done.
// If not, the commit can never happen: it would wait for our key and then fail. So a write
// happens once.
type writing struct {
	*DB
	ctx   context.Context
	fn    func(*engine.Tx) error
	key   string
	tx    *engine.Tx // of the last attempt
	doubt bool       // whether a commit may have happened
}

// Write implements engine.Engine.
func (p *DB) Write(ctx context.Context, fn func(*engine.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return engine.Unavailable(err)
	}
	ctx, cancel := p.within(ctx)
	defer cancel()
	w := &writing{DB: p, ctx: ctx, fn: fn, key: newKey()}
	for try := 1; ; try++ {
		again, err := w.try()
		if err == nil && !again {
			w.tx.Committed()
		}
		if !again || try == mostTries || !p.pause(ctx, try, err) {
			return settle(err)
		}
	}
}

// settle returns the error of a write that is not retried again.
func settle(err error) error {
	if contested(err) {
		return engine.Unavailable(err)
	}
	return judge(err)
}

// pause waits a little longer before each attempt, and for a random time, so
// that callers that collided do not collide again. Callers of a deadlock give up at
// the same moment, and a busy machine takes long for each statement: they need a wider
// range. It reports whether there is time left.
func (p *DB) pause(ctx context.Context, try int, reason error) bool {
	wait := time.Duration(try*try) * (time.Millisecond + rand.N(4*time.Millisecond))
	if sqlState(reason) == stateLocked {
		wait = rand.N(p.answerIn / 5)
	}
	select {
	case <-time.After(wait):
		return true
	case <-ctx.Done():
		return false
	}
}

// try runs one transaction. again says that a retry may succeed: the change has
// not happened, or its outcome is unknown.
func (w *writing) try() (again bool, err error) {
	conn, err := w.acquire(w.ctx)
	if err != nil {
		return false, err
	}
	defer conn.Release()
	if _, err := conn.Exec(w.ctx, w.begin); err != nil {
		return conn.Conn().IsClosed(), err
	}
	if w.doubt {
		tag, err := conn.Exec(w.ctx, `INSERT INTO commit_key (id) VALUES ($1) ON CONFLICT DO NOTHING`, w.key)
		switch {
		case err != nil:
			return w.undo(conn, err)
		case tag.RowsAffected() == 0:
			return w.confirm(conn)
		}
	}
	w.tx = &engine.Tx{Runner: runner{w.ctx, conn}, Locks: locks()}
	if err := engine.Guarded(w.tx, w.fn); err != nil {
		return w.undo(conn, err)
	}
	return w.commit(conn)
}

// undo ends a failed transaction and returns the reason. It closes a connection
// that cannot roll back, or whose server has become a standby.
func (w *writing) undo(conn *pgxpool.Conn, reason error) (again bool, err error) {
	lost := conn.Conn().IsClosed()
	if _, err := conn.Exec(w.ctx, "ROLLBACK"); err != nil || sqlState(reason) == "25006" {
		_ = conn.Conn().Close(w.ctx)
	}
	state := sqlState(reason)
	return lost || contested(reason) || state == "25006" || state == stateTaken, reason
}

func (w *writing) commit(conn *pgxpool.Conn) (again bool, err error) {
	before, _ := conn.Conn().PgConn().CustomData()[keyName].(string)
	text := "COMMIT"
	if !w.doubt {
		text = keyText(before, w.key) + "; COMMIT"
	}
	began := time.Now()
	committed, err := w.end(conn, text)
	switch {
	case committed:
		w.measures.Commit.Observe(time.Since(began))
		w.measures.Group.Observe(1)
		conn.Conn().PgConn().CustomData()[keyName] = w.key
		return false, err
	case errors.Is(err, errFailedBefore):
		return false, err
	case refused(err):
		return w.undo(conn, err)
	}
	w.doubt = true
	_ = conn.Conn().Close(w.ctx)
	return true, err
}

// confirm ends an attempt that found the key of the one before: that change is
// in the database. It may be on this server only, so confirm writes the key
// once more. A standby that has the later commit also has the earlier one.
func (w *writing) confirm(conn *pgxpool.Conn) (again bool, err error) {
	committed, err := w.end(conn, "UPDATE commit_key SET id = id WHERE id = '"+w.key+"'; COMMIT")
	if !committed {
		_ = conn.Conn().Close(w.ctx)
	}
	return !committed, err
}

// end ends a transaction. When its time runs out while the server waits for its
// standby, the server reports success and warns that the standby may lack the
// commit. A failover could undo such a commit, so end returns an error for it.
func (w *writing) end(conn *pgxpool.Conn, text string) (committed bool, err error) {
	kept := conn.Conn().PgConn().CustomData()
	delete(kept, warnedName)
	tag, err := conn.Exec(w.ctx, text)
	committed = err == nil && tag.String() == "COMMIT"
	switch warning, warned := kept[warnedName].(string); {
	case committed && warned:
		err = engine.Unavailable(errors.New(warning))
	case err == nil && !committed:
		err = errFailedBefore
	}
	return committed, err
}

var errFailedBefore = errors.New("the transaction had failed before its end: a statement's error was ignored")

// warnedName is the name under which a connection keeps the last warning of its
// server.
const warnedName = "portico warned"

// keepWarning is called by the driver, in the goroutine that waits for the
// response.
func keepWarning(conn *pgconn.PgConn, notice *pgconn.Notice) {
	if notice.SeverityUnlocalized == "WARNING" && notice.Code == stateWarning {
		conn.CustomData()[warnedName] = notice.Message
	}
}

// refused reports whether the server says that a commit did not happen. After
// any other answer, or none, it may have happened.
func refused(err error) bool {
	answer, ok := errors.AsType[*pgconn.PgError](err)
	return ok && answer.SeverityUnlocalized == "ERROR" && answer.Code != stateUnknown
}

// keyName is the name under which a connection remembers the key of its last
// commit.
const keyName = "portico key"

// newKey returns a key that begins with the time in decimal digits, whose order is the same in
// every collation. By it, store.Purge finds the keys of connections that broke.
func newKey() string { return strconv.FormatInt(time.Now().UnixMicro(), 10) + ids.New() }

// keyText leaves a key in place of the one that the connection left before, so that there
// are no more keys than connections, and those of connections that broke. We made both keys;
// as text they need no round trip of their own.
func keyText(before, key string) string {
	text := "INSERT INTO commit_key (id) VALUES ('" + key + "')"
	if before != "" {
		text += "; DELETE FROM commit_key WHERE id = '" + before + "'"
	}
	return text
}

// forgetKey removes the key of a connection that is about to close.
func forgetKey(conn *pgx.Conn) {
	key, _ := conn.PgConn().CustomData()[keyName].(string)
	if key == "" || conn.IsClosed() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), pingIn)
	defer cancel()
	_, _ = conn.Exec(ctx, "DELETE FROM commit_key WHERE id = '"+key+"'")
}
