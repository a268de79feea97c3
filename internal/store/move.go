package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"
)

// MoveOptions are what a caller of Move may choose.
type MoveOptions struct {
	// DryRun looks at both sides and changes nothing.
	DryRun bool
	// Report is told what is being done; rows is 0 at the beginning of a step
	// of no table.
	Report func(step, table string, rows int64)
}

// Moved tells what a Move has done, or a dry one would do.
type Moved struct {
	Tables []MovedTable
	// Refused is how long the database that is left took no writes.
	Refused time.Duration
	// Completed says that only the end was missing of a move that was interrupted.
	Completed bool
}

// MovedTable is one table and its rows.
type MovedTable struct {
	Name string `json:"name"`
	Rows int64  `json:"rows"`
}

// ErrNotMovable says between what Move moves.
var ErrNotMovable = errors.New("a move goes from SQLite to PostgreSQL: PORTICO_DATABASE_URL says sqlite:PATH, and --to postgres://user:password@host/name")

// Move copies a SQLite database, which may be served meanwhile, to an empty
// PostgreSQL database, and makes that the one that counts.
//
// First it copies a snapshot, then what was changed meanwhile, while writes go
// on. Then it holds the write lock of SQLite, so that writes wait and in the end
// fail with a fault of the kind Unavailable, while reads go on; copies the rest,
// compares all rows of both sides value by value, and in the transaction that
// holds the lock marks the SQLite database as Gone. From then on no process can
// write to it. When anything fails before, the lock ends without a trace.
//
// A PostgreSQL database that is not complete is marked as Coming. That mark goes
// after the other has come, so there is no instant at which both could be
// served; when a move is interrupted between the two, the next completes it.
//
// A database that holds anything is an error that wraps fs.ErrExist.
func Move(ctx context.Context, from, to string, o MoveOptions) (m Moved, err error) {
	if o.Report == nil {
		o.Report = func(string, string, int64) {}
	}
	source, target, err := openBoth(ctx, from, to)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, target.Close(), source.Close()) }()
	if err := upToDate(ctx, source); err != nil {
		return m, err
	}
	o.Report("look at the PostgreSQL database, once nobody else migrates it or moves to it", "", 0)
	err = target.engine.alone(ctx, nil, func() error {
		v := &move{source: source, target: target, options: o, file: source.engine.(*sqlite)}
		m, err = v.run(ctx)
		return err
	})
	return m, err
}

func openBoth(ctx context.Context, from, to string) (source, target *Store, err error) {
	source, err = Open(ctx, Config{URL: from, MustExist: true})
	if err != nil {
		return nil, nil, err
	}
	if target, err = Open(ctx, Config{URL: to}); err != nil {
		return nil, nil, errors.Join(err, source.Close())
	}
	if source.Shared() || !target.Shared() {
		return nil, nil, errors.Join(ErrNotMovable, target.Close(), source.Close())
	}
	return source, target, nil
}

// upToDate refuses a schema that is not ours: the process that serves it would
// not know what a move has to do with it.
func upToDate(ctx context.Context, s *Store) error {
	all, err := s.Migrations(ctx)
	if err != nil {
		return err
	}
	for _, m := range all {
		if !m.Applied {
			return errors.New("the schema of the SQLite database is not that of this version: stop the server, run 'portico migrate', start this version, and move then")
		}
	}
	return nil
}

// move is one run of Move, with the lock of the target.
type move struct {
	source, target *Store
	file           *sqlite // source
	options        MoveOptions
	conn           *pgx.Conn // to the target, without the bounds of a server's answers
	tables         []table
}

func (v *move) run(ctx context.Context) (m Moved, err error) {
	state, err := v.source.engine.read().MoveState(ctx)
	if err != nil {
		return m, err
	}
	config := v.target.engine.(*postgres).pool.Config().ConnConfig
	if v.conn, err = pgx.ConnectConfig(ctx, config); err != nil {
		return m, fmt.Errorf("connect to the PostgreSQL database: %w", err)
	}
	defer func() { err = errors.Join(err, v.conn.Close(context.WithoutCancel(ctx))) }()
	coming, err := targetMark(ctx, v.conn)
	switch {
	case err != nil:
		return m, err
	case state == MoveGone && !coming:
		return m, ErrMoved
	}
	if err := v.prepareTarget(ctx, coming); err != nil {
		return m, err
	}
	switch {
	case v.options.DryRun:
		return v.rehearse(ctx, state)
	case state == MoveGone:
		return v.complete(ctx)
	}
	return v.everything(ctx)
}

// prepareTarget makes the target one of our schema that is marked as Coming, or
// in a dry run looks whether that could be done.
func (v *move) prepareTarget(ctx context.Context, coming bool) error {
	var encoding string
	if err := v.conn.QueryRow(ctx, `SHOW server_encoding`).Scan(&encoding); err != nil {
		return err
	}
	if encoding != "UTF8" {
		return fmt.Errorf("the PostgreSQL database is encoded in %s: make one with ENCODING 'UTF8' TEMPLATE template0", encoding)
	}
	check := v.checkEmpty
	if coming {
		check = v.checkOurs
	}
	if err := check(ctx); err != nil {
		return err
	}
	if v.options.DryRun {
		return nil
	}
	if err := v.target.migrateCopy(ctx); err != nil {
		return err
	}
	var err error
	if v.tables, err = v.commonTables(ctx); err != nil || coming {
		return err
	}
	return v.target.Write(ctx, func(tx *Tx) error { return tx.KeepMoveState(ctx, MoveComing, time.Time{}) })
}

// checkEmpty refuses a database that holds anything.
func (v *move) checkEmpty(ctx context.Context) error {
	there, err := postgresTables(ctx, v.conn)
	if err != nil {
		return err
	}
	name, err := holdsRows(ctx, v.conn, there)
	if err == nil && name != "" {
		err = fmt.Errorf("the PostgreSQL database is not empty, its table %s has rows: %w: name an empty one, since a move replaces nothing", name, fs.ErrExist)
	}
	return err
}

// checkOurs refuses what a move of another installation has begun to fill.
func (v *move) checkOurs(ctx context.Context) error {
	ours, _, err := v.source.engine.read().KeyCheck(ctx)
	if err != nil {
		return err
	}
	theirs, copied, err := v.target.engine.read().KeyCheck(ctx)
	if err == nil && copied && !bytes.Equal(ours, theirs) {
		err = fmt.Errorf("the PostgreSQL database is being filled from another SQLite database: %w: name an empty one", fs.ErrExist)
	}
	return err
}

// everything is a move from its beginning.
func (v *move) everything(ctx context.Context) (m Moved, err error) {
	claim, err := v.source.Claim()
	served := errors.Is(err, ErrInUse)
	if err != nil && !served {
		return m, err
	}
	if !served {
		defer func() { err = errors.Join(err, claim.Close()) }() // nobody begins to serve meanwhile
	}
	if err := v.pass(ctx, "BEGIN", v.copyAll); err != nil {
		return m, err
	}
	if err := v.pass(ctx, "BEGIN", v.catchUp); err != nil {
		return m, err
	}
	until, err := v.holdMail(ctx, served)
	if err != nil {
		return m, err
	}
	began := time.Now()
	err = v.pass(ctx, "BEGIN IMMEDIATE", func(ctx context.Context, from *sql.Conn, to pgx.Tx) error {
		began = time.Now()
		if began.After(until) {
			return errors.New("the write lock of the SQLite database came too late, it is very busy: run it again")
		}
		if m.Tables, err = v.settle(ctx, from, to); err != nil {
			return err
		}
		if err := to.Commit(ctx); err != nil { // before the other side is told so
			return err
		}
		return v.leave(ctx, from)
	})
	m.Refused = time.Since(began)
	if err != nil {
		return m, errors.Join(err, v.stay(ctx))
	}
	return m, v.arrive(ctx)
}

// complete does what is left when the source is gone and the target does not
// know yet. Neither can have changed since.
func (v *move) complete(ctx context.Context) (m Moved, err error) {
	m.Completed = true
	err = v.pass(ctx, "BEGIN", func(ctx context.Context, from *sql.Conn, to pgx.Tx) error {
		m.Tables, err = v.compareAll(ctx, from, to)
		return err
	})
	if err != nil {
		return m, err
	}
	return m, v.arrive(ctx)
}

// rehearse counts what there is.
func (v *move) rehearse(ctx context.Context, state MoveState) (m Moved, err error) {
	m.Completed = state == MoveGone
	tables, err := sqliteTables(ctx, v.file.reader)
	if err != nil {
		return m, err
	}
	for _, t := range tables {
		var n int64
		if err := v.file.reader.QueryRowContext(ctx, `SELECT COUNT(*) FROM `+quote(t.name)).Scan(&n); err != nil {
			return m, v.file.explain(err)
		}
		m.Tables = append(m.Tables, MovedTable{t.name, n})
	}
	return m, nil
}

// holdMail waits until no mail is on its way to a mail server: that which was
// accepted there must not be sent again by who does not know it. It returns the
// time until which none is claimed.
func (v *move) holdMail(ctx context.Context, served bool) (until time.Time, err error) {
	const pause, spare = 100 * time.Millisecond, time.Minute
	until = time.Now().Add(mailLease + spare)
	err = v.source.Write(ctx, func(tx *Tx) error { return tx.KeepMoveState(ctx, MoveLeaving, until) })
	horizon := time.Now().Add(mailLease) // after it: what was claimed before has a lease that ends by then
	if err != nil || !served {
		return until, err
	}
	v.options.Report("wait for mail that is being sent", "", 0)
	for {
		n, err := v.source.engine.read().MailUnderWay(ctx, time.Now(), horizon)
		if err != nil || n == 0 {
			return until, err
		}
		select {
		case <-ctx.Done():
			return until, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// leave is the instant of the switch: the commit of the mark in the transaction
// that holds the lock.
func (v *move) leave(ctx context.Context, from *sql.Conn) error {
	var known statements
	defer known.close()
	tx := &Tx{runner: sqliteRunner{from, &known}}
	if err := tx.KeepMoveState(ctx, MoveGone, time.Time{}); err != nil {
		return err
	}
	_, err := tx.exec(ctx, "COMMIT")
	return err
}

// stay lets mail go again. Without it that waits for the time that holdMail set.
func (v *move) stay(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	return v.source.Write(ctx, func(tx *Tx) error { return tx.ForgetMoveState(ctx) })
}

// arrive makes the target a database that can be served.
func (v *move) arrive(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	err := v.target.Write(ctx, func(tx *Tx) error { return tx.ForgetMoveState(ctx) })
	if err != nil {
		err = fmt.Errorf("everything is moved, but the PostgreSQL database could not be told so: run this again: %w", err)
	}
	return err
}
