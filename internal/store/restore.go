package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"portico/internal/store/sqlite"
)

// ErrNotRestorable says that the engine has its own tool for copies.
var ErrNotRestorable = errors.New("only a SQLite database is restored by Portico: a PostgreSQL database is restored by pg_restore, and then 'portico finish-restore' before a node starts: see docs/operating/postgresql.md")

// Restore puts a copy that Backup has made where the database of the URL is. It refuses a
// copy that is damaged, of another program or of a newer version, or whose schema another
// program has changed, and a database that another process serves. If a database exists
// already, the error wraps fs.ErrExist, unless replace is set: Restore then keeps its files
// under the name that it returns.
//
// prepare runs on the copy, with its schema up to date, before it is put in
// place; when it fails nothing has happened.
func Restore(ctx context.Context, url, backup string, replace bool, prepare func(*Store) error) (kept string, err error) {
	path, ok := strings.CutPrefix(url, "sqlite:")
	if !ok {
		return "", ErrNotRestorable
	}
	return sqlite.Restore(ctx, path, backup, replace, func(part string) error {
		file, err := sqlite.Open(ctx, part, true)
		if err != nil {
			return err
		}
		s := On(file)
		if err = s.adopt(ctx, file, part+".schema"); err != nil {
			err = fmt.Errorf("%s cannot be restored: %w", backup, err)
		} else {
			err = prepare(s)
		}
		return errors.Join(err, s.Close())
	})
}

// adopt makes a copy a database of this version that can be written. It writes
// to no table before it knows that the schema is ours. A copy that was made
// during a move has a journal and a state, and restoring it is the way back.
func (s *Store) adopt(ctx context.Context, file *sqlite.DB, scratch string) error {
	if err := file.LeaveJournal(ctx); err != nil {
		return err
	}
	if err := s.checkSchema(ctx, file, scratch); err != nil {
		return err
	}
	if err := s.MigrateCopy(ctx); err != nil {
		return err
	}
	return file.ComeHome(ctx)
}
