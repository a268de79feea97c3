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
// While writes go on it copies a snapshot, compares all rows of both sides value
// by value, and then follows: triggers of the source note the key of every row
// that is written, and the rows that were noted are copied and compared, again
// and again until few are left. Then it holds the write lock of SQLite, so that
// writes wait and in the end fail with a fault of the kind Unavailable, while
// reads go on; follows once more, commits the target, and in the transaction that
// holds the lock marks the SQLite database as Gone. From then on no process can
// write to it. When anything fails before, the lock ends without a trace.
//
// All rows come to the target in one transaction, which keeps everybody else from
// its tables: a row that was found the same stays so until it is committed.
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
	lock, err := claimMove(source.engine.(*sqlite).path)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	o.Report("look at the PostgreSQL database, once nobody else migrates it or moves to it", "", 0)
	err = target.engine.alone(ctx, nil, func() error {
		v := &move{source: source, target: target, options: o, file: source.engine.(*sqlite)}
		m, err = v.run(ctx)
		return err
	})
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("interrupted, nothing is lost: run 'portico move' again (%w)", err)
	}
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

	from    *sql.Conn // to the source
	to      pgx.Tx    // all that is written to the target
	journal journal
}

func (v *move) run(ctx context.Context) (m Moved, err error) {
	state, err := v.source.engine.read().MoveState(ctx)
	if err != nil {
		return m, err
	}
	config := v.target.engine.(*postgres).pool.Config().ConnConfig
	if v.conn, err = pgx.ConnectConfig(ctx, config); err != nil {
		return m, fmt.Errorf("connect to the PostgreSQL database: %w", plainly(err))
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
	if v.options.DryRun {
		return v.rehearse(ctx, state)
	}
	ended, err := v.open(ctx)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, ended()) }()
	if state == MoveGone {
		err = v.complete(ctx)
		m.Completed = true
	} else {
		m.Refused, err = v.everything(ctx)
	}
	if err == nil {
		m.Tables, err = v.count(context.WithoutCancel(ctx)) // it is done, and ends as that
	}
	return m, err
}

// prepareTarget makes the target one of our schema that is marked as Coming, or
// in a dry run looks whether that could be done.
func (v *move) prepareTarget(ctx context.Context, coming bool) error {
	if err := takesTables(ctx, v.conn); err != nil {
		return err
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
		err = &retold{fmt.Sprintf("the PostgreSQL database is not empty, its table %s has rows: name an empty one, since a move replaces nothing", name), fs.ErrExist}
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
		err = &retold{"the PostgreSQL database is being filled from another SQLite database: name an empty one", fs.ErrExist}
	}
	return err
}

// everything is a move from its beginning. It returns how long the source took
// no writes.
func (v *move) everything(ctx context.Context) (refused time.Duration, err error) {
	claim, err := v.source.Claim()
	served := errors.Is(err, ErrInUse)
	if err != nil && !served {
		return 0, err
	}
	if !served {
		defer func() { err = errors.Join(err, claim.Close()) }() // nobody begins to serve meanwhile
	}
	defer func() {
		if errors.Is(err, errDiffers) {
			err = fmt.Errorf("%w: is there something in the PostgreSQL database that changes rows, such as a trigger? Nothing was switched, the SQLite database is served as before", err)
		}
		if err != nil {
			err = errors.Join(err, v.stay(ctx))
		}
	}()
	if err := v.hold(ctx, "BEGIN IMMEDIATE", v.keepJournal); err != nil {
		return 0, err
	}
	if err := v.hold(ctx, "BEGIN", v.copyAll); err != nil {
		return 0, err
	}
	if err := v.catchUp(ctx); err != nil {
		return 0, err
	}
	until, err := v.holdMail(ctx, served)
	if err != nil {
		return 0, err
	}
	if err := v.catchUp(ctx); err != nil {
		return 0, err
	}
	return v.switchOver(ctx, until)
}

// switchOver does what has to be done while nothing is written.
func (v *move) switchOver(ctx context.Context, until time.Time) (refused time.Duration, err error) {
	v.options.Report("switch", "", 0)
	began := time.Now()
	err = v.hold(ctx, "BEGIN IMMEDIATE", func(ctx context.Context) error {
		began = time.Now()
		if began.After(until) {
			return errors.New("the write lock of the SQLite database came too late, it is very busy: run it again")
		}
		if _, err := v.follow(ctx, "switch"); err != nil {
			return err
		}
		if err := v.to.Commit(ctx); err != nil { // before the other side is told so
			return err
		}
		return v.leave(ctx)
	})
	refused = time.Since(began)
	if err == nil {
		err = v.arrive(ctx)
	}
	return refused, err
}

// complete does what is left when the source is gone and the target does not
// know yet. Neither can have changed since.
func (v *move) complete(ctx context.Context) error {
	err := v.hold(ctx, "BEGIN", v.compareAll)
	if errors.Is(err, errDiffers) {
		err = fmt.Errorf("%w: something else has written to the PostgreSQL database since everything was moved: put that back and run this again, or go back to the SQLite database with 'portico restore --replace %s'", err, v.file.path)
	}
	if err != nil {
		return err
	}
	return v.arrive(ctx)
}

// rehearse says what there is to be done.
func (v *move) rehearse(ctx context.Context, state MoveState) (m Moved, err error) {
	m.Completed = state == MoveGone
	if v.tables, err = sqliteTables(ctx, v.file.reader); err == nil {
		m.Tables, err = v.count(ctx)
	}
	return m, v.file.explain(err)
}

func (v *move) count(ctx context.Context) ([]MovedTable, error) {
	var all []MovedTable
	for _, t := range v.tables {
		var n int64
		if err := v.file.reader.QueryRowContext(ctx, `SELECT COUNT(*) FROM `+quote(t.name)).Scan(&n); err != nil {
			return nil, v.file.explain(err)
		}
		all = append(all, MovedTable{t.name, n})
	}
	return all, nil
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
func (v *move) leave(ctx context.Context) error {
	var known statements
	defer known.close()
	tx := &Tx{runner: sqliteRunner{v.from, &known}}
	if err := errors.Join(tx.dropJournal(ctx), tx.KeepMoveState(ctx, MoveGone, time.Time{})); err != nil {
		return err
	}
	_, err := tx.exec(ctx, "COMMIT")
	return err
}

// stay lets mail go again, and ends the journal. Without it mail waits for the
// time that holdMail set, and the journal for the next start or move.
func (v *move) stay(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	return v.source.Write(ctx, func(tx *Tx) error { return errors.Join(tx.ForgetMoveState(ctx), tx.dropJournal(ctx)) })
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
