package sqlite

import (
	"context"
	"errors"
	"io"
	"strings"

	"portico/internal/store/engine"
)

// JournalTable lists the keys of the rows that are written during a move, in
// order. Triggers fill it for every writer, and for rows that a foreign key
// deletes.
const JournalTable = "move_journal"

// ErrMoving says that another process moves this database.
var ErrMoving = errors.New("another 'portico move' of this SQLite database is under way: wait until it ends")

// ClaimMove makes this process the only one that moves the database, until the
// closer is closed or the process ends.
func ClaimMove(path string) (io.Closer, error) {
	lock, err := claimFile(path + "-move")
	if errors.Is(err, engine.ErrInUse) {
		err = ErrMoving
	}
	return lock, err
}

// DropJournal removes the journal and its triggers, if there are any.
func DropJournal(ctx context.Context, t *engine.Tx) error {
	found, err := t.Query(ctx, `SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE $1`, JournalTable+"_%")
	if err != nil {
		return err
	}
	defer found.Close()
	queries := []string{`DROP TABLE IF EXISTS ` + JournalTable}
	for found.Next() {
		var name string
		if err := found.Scan(&name); err != nil {
			return err
		}
		queries = append(queries, `DROP TRIGGER `+quote(name))
	}
	if err := errors.Join(found.Close(), found.Err()); err != nil {
		return err
	}
	for _, query := range queries {
		if _, err := t.Exec(ctx, query); err != nil {
			return err
		}
	}
	return nil
}

// ForgetMove implements engine.Engine. It removes the journal of a move that was killed:
// until then each write would go on noting keys. It does not touch a running move.
func (s *DB) ForgetMove(ctx context.Context) error {
	left, err := finds(ctx, s.reader, `PRAGMA table_info(`+JournalTable+`)`)
	if err != nil || !left {
		return err
	}
	lock, err := ClaimMove(s.path)
	if errors.Is(err, ErrMoving) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(s.Write(ctx, func(tx *engine.Tx) error { return DropJournal(ctx, tx) }), lock.Close())
}

// ComeHome makes the copy of a moved database writable again. No other process may know of
// the copy.
func (s *DB) ComeHome(ctx context.Context) error {
	return (&engine.Tx{Runner: runner{s.writer, &s.statements}}).ForgetMoveState(ctx)
}

// LeaveJournal removes the journal from the copy of a database that was being
// moved. It changes the schema alone, so that no trigger runs.
func (s *DB) LeaveJournal(ctx context.Context) error {
	return DropJournal(ctx, &engine.Tx{Runner: runner{s.writer, &s.statements}})
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
