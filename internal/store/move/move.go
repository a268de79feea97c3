package move

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"portico/internal/store"
	"portico/internal/store/engine"
	"portico/internal/store/postgres"
	"portico/internal/store/sqlite"
)

// Options are what a caller of Move may choose.
type Options struct {
	// DryRun looks at both sides and changes nothing.
	DryRun bool
	// Report is called with each step, its table and the rows so far. Rows is 0
	// at the start of a step without a table.
	Report func(step, table string, rows int64)
}

// Result says what a move did, or what a dry run would do.
type Result struct {
	Tables []TableRows
	// Refused is how long the source accepted no writes.
	Refused time.Duration
	// Completed says that an interrupted move was finished.
	Completed bool
}

// TableRows is one table and its rows.
type TableRows struct {
	Name string `json:"name"`
	Rows int64  `json:"rows"`
}

// ErrMoving says that another process moves this database.
var ErrMoving = sqlite.ErrMoving

// ErrNotMovable says which databases Run accepts.
var ErrNotMovable = errors.New("a move goes from SQLite to PostgreSQL: PORTICO_DATABASE_URL says sqlite:PATH, and --to postgres://user:password@host/name")

// Run copies a SQLite database, which may be served meanwhile, to an empty PostgreSQL
// database, and makes that the one to serve. The package comment says how.
//
// A target that holds rows is an error that wraps fs.ErrExist. A source whose data
// was moved before is engine.ErrMoved, and one that another process moves is
// ErrMoving.
func Run(ctx context.Context, from, to string, o Options) (m Result, err error) {
	if o.Report == nil {
		o.Report = func(string, string, int64) {}
	}
	file, server, err := openBoth(ctx, from, to)
	if err != nil {
		return m, err
	}
	source, target := store.On(file), store.On(server)
	defer func() { err = errors.Join(err, target.Close(), source.Close()) }()
	if err := upToDate(ctx, source); err != nil {
		return m, err
	}
	lock, err := sqlite.ClaimMove(file.Path())
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	o.Report("look at the PostgreSQL database, once no other process migrates it or moves to it", "", 0)
	err = server.Alone(ctx, true, func() error {
		v := &transfer{source: source, target: target, options: o, file: file, server: server}
		m, err = v.run(ctx)
		return err
	})
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("interrupted, nothing is lost: run 'portico move' again (%w)", err)
	}
	return m, err
}

func openBoth(ctx context.Context, from, to string) (*sqlite.DB, *postgres.DB, error) {
	path, ok := strings.CutPrefix(from, "sqlite:")
	if !ok || path == "" || !postgres.Speaks(to) {
		return nil, nil, ErrNotMovable
	}
	file, err := sqlite.Open(ctx, path, true)
	if err != nil {
		return nil, nil, err
	}
	server, err := postgres.Open(ctx, to, false)
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return file, server, nil
}

// upToDate refuses a source with another schema version: the process that
// serves it would not know how to behave during a move.
func upToDate(ctx context.Context, s *store.Store) error {
	all, err := s.Migrations(ctx)
	if err != nil {
		return err
	}
	for _, m := range all {
		if !m.Applied {
			return errors.New("the schema of the SQLite database belongs to another version: stop the server, run 'portico migrate', start this version, and move then")
		}
	}
	return nil
}

// transfer is one run of Run, with the lock of the target.
type transfer struct {
	source, target *store.Store
	file           *sqlite.DB   // of source
	server         *postgres.DB // of target
	options        Options
	conn           *pgx.Conn // to the target, without the time limits of requests
	tables         []table

	from    *sql.Conn // to the source
	to      pgx.Tx    // the transaction that holds everything written to the target
	journal journal
}

func (v *transfer) run(ctx context.Context) (m Result, err error) {
	state, err := v.file.Read().MoveState(ctx)
	if err != nil {
		return m, err
	}
	if v.conn, err = pgx.ConnectConfig(ctx, v.server.ConnConfig()); err != nil {
		return m, fmt.Errorf("connect to the PostgreSQL database: %w", postgres.Plainly(err))
	}
	defer func() { err = errors.Join(err, v.conn.Close(context.WithoutCancel(ctx))) }()
	coming, err := targetMark(ctx, v.conn)
	switch {
	case err != nil:
		return m, err
	case state == engine.MoveGone && !coming:
		return m, engine.ErrMoved
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
	if state == engine.MoveGone {
		err = v.complete(ctx)
		m.Completed = true
	} else {
		m.Refused, err = v.everything(ctx)
	}
	if err == nil {
		m.Tables, err = v.count(context.WithoutCancel(ctx)) // the move is done, whatever becomes of ctx
	}
	return m, err
}

// prepareTarget migrates the target and marks it as Coming. In a dry run it
// only checks whether that is possible.
func (v *transfer) prepareTarget(ctx context.Context, coming bool) error {
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
	err := errors.Join(v.target.MigrateCopy(ctx), v.makeMonths(ctx))
	if err != nil {
		return err
	}
	if v.tables, err = v.commonTables(ctx); err != nil || coming {
		return err
	}
	return v.target.Write(ctx, func(tx *store.Tx) error { return tx.KeepMoveState(ctx, engine.MoveComing, time.Time{}) })
}

// checkEmpty refuses a target that holds rows.
func (v *transfer) checkEmpty(ctx context.Context) error {
	there, err := postgresTables(ctx, v.conn)
	if err != nil {
		return err
	}
	name, err := holdsRows(ctx, v.conn, there)
	if err == nil && name != "" {
		err = engine.Reword(fmt.Sprintf("the PostgreSQL database is not empty, its table %s has rows: name an empty one, since a move replaces nothing", name), fs.ErrExist)
	}
	return err
}

func keyCheck(ctx context.Context, s *store.Store) (check []byte, found bool, err error) {
	err = s.Read(ctx, func(tx *store.Tx) (err error) {
		check, found, err = tx.KeyCheck(ctx)
		return err
	})
	return check, found, err
}

// checkOurs refuses a target that a move of another installation has begun to
// fill.
func (v *transfer) checkOurs(ctx context.Context) error {
	ours, _, err := keyCheck(ctx, v.source)
	if err != nil {
		return err
	}
	theirs, copied, err := keyCheck(ctx, v.target)
	if err == nil && copied && !bytes.Equal(ours, theirs) {
		err = engine.Reword("the PostgreSQL database is being filled from another SQLite database: name an empty one", fs.ErrExist)
	}
	return err
}

// everything runs a move from the start. It returns how long the source
// accepted no writes.
func (v *transfer) everything(ctx context.Context) (refused time.Duration, err error) {
	claim, err := v.source.Claim()
	served := errors.Is(err, engine.ErrInUse)
	if err != nil && !served {
		return 0, err
	}
	if !served {
		defer func() { err = errors.Join(err, claim.Close()) }() // no server starts meanwhile
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

// switchOver does what must happen while no write runs.
func (v *transfer) switchOver(ctx context.Context, until time.Time) (refused time.Duration, err error) {
	v.options.Report("switch", "", 0)
	began := time.Now()
	err = v.hold(ctx, "BEGIN IMMEDIATE", func(ctx context.Context) error {
		began = time.Now()
		if began.After(until) {
			return errors.New("the SQLite database was too busy to give the write lock in time: run the move again")
		}
		if _, err := v.follow(ctx, "switch"); err != nil {
			return err
		}
		if err := v.to.Commit(ctx); err != nil { // before the source is marked as Gone
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

// complete finishes a move whose source is Gone while its target is still
// marked as Coming. Neither can have changed since.
func (v *transfer) complete(ctx context.Context) error {
	err := v.hold(ctx, "BEGIN", v.compareAll)
	if errors.Is(err, errDiffers) {
		err = fmt.Errorf("%w: something else has written to the PostgreSQL database since everything was moved: put that back and run this again, or go back to the SQLite database with 'portico restore --replace %s'", err, v.file.Path())
	}
	if err != nil {
		return err
	}
	return v.arrive(ctx)
}

// rehearse returns what a move would do.
func (v *transfer) rehearse(ctx context.Context, state engine.MoveState) (m Result, err error) {
	m.Completed = state == engine.MoveGone
	if v.tables, err = sqliteTables(ctx, v.file.Reader()); err == nil {
		m.Tables, err = v.count(ctx)
	}
	return m, v.file.Explain(err)
}

func (v *transfer) count(ctx context.Context) ([]TableRows, error) {
	var all []TableRows
	for _, t := range v.tables {
		var n int64
		if err := v.file.Reader().QueryRowContext(ctx, `SELECT COUNT(*) FROM `+quote(t.name)).Scan(&n); err != nil {
			return nil, v.file.Explain(err)
		}
		all = append(all, TableRows{t.name, n})
	}
	return all, nil
}

// holdMail stops the sending of emails and waits until no delivery is under way: the target
// would deliver an accepted email again. It returns the time until which no email is
// claimed.
func (v *transfer) holdMail(ctx context.Context, served bool) (until time.Time, err error) {
	const pause, spare = 100 * time.Millisecond, time.Minute
	until = time.Now().Add(mailLease + spare)
	err = v.source.Write(ctx, func(tx *store.Tx) error { return tx.KeepMoveState(ctx, engine.MoveLeaving, until) })
	horizon := time.Now().Add(mailLease) // leases of earlier claims end by then
	if err != nil || !served {
		return until, err
	}
	v.options.Report("wait for emails that are being sent", "", 0)
	for {
		n, err := v.mailUnderWay(ctx, horizon)
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

func (v *transfer) mailUnderWay(ctx context.Context, horizon time.Time) (n int64, err error) {
	err = v.source.Read(ctx, func(tx *store.Tx) (err error) {
		n, err = tx.MailUnderWay(ctx, time.Now(), horizon)
		return err
	})
	return n, err
}

// leave is the instant of the switch: the commit of the mark in the transaction
// that holds the lock.
func (v *transfer) leave(ctx context.Context) error {
	tx, done := sqlite.TxOn(v.from)
	defer done()
	if err := errors.Join(sqlite.DropJournal(ctx, tx), tx.KeepMoveState(ctx, engine.MoveGone, time.Time{})); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, "COMMIT")
	return err
}

// stay lets Portico send emails again, and ends the journal. Without it, emails wait for
// the time that holdMail set, and the journal for the next start or move.
func (v *transfer) stay(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	return v.file.Write(ctx, func(tx *engine.Tx) error {
		return errors.Join(tx.ForgetMoveState(ctx), sqlite.DropJournal(ctx, tx))
	})
}

// arrive makes the target a database that can be served.
func (v *transfer) arrive(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	err := v.target.Write(ctx, func(tx *store.Tx) error { return tx.ForgetMoveState(ctx) })
	if err != nil {
		err = fmt.Errorf("everything was moved, but the PostgreSQL database could not be marked as complete: run this again: %w", err)
	}
	return err
}
