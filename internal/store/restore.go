package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"portico/internal/store/sqlite"
)

// ErrNotRestorable says that the engine has its own tool for copies.
var ErrNotRestorable = errors.New("only a SQLite database is restored by Portico: a PostgreSQL database is restored by pg_restore, with what docs/operating/postgresql.md says to do before a node starts")

// Restore puts a copy that Backup has made where the database of the URL is. It
// refuses a copy that is damaged, of another program or of a newer version, and
// a database that another process serves. A database that is there is an error
// that wraps fs.ErrExist, unless replace is set: Restore then keeps its files
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
		err = s.MigrateCopy(ctx)
		if err == nil {
			err = file.ComeHome(ctx) // the way back from a move is to restore what was left
		}
		if err != nil {
			err = fmt.Errorf("%s cannot be restored: %w", backup, err)
		} else {
			err = prepare(s)
		}
		return errors.Join(err, s.Close())
	})
}
