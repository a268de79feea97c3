package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/ncruces/go-sqlite3"
)

// Explain implements engine.Engine. It says what to do about a file that this
// user may not write, or that SQLite cannot read, and about a full disk.
func (s *DB) Explain(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("%w: run this as root or as the user of the server, or give the folder %s and its files to user %d; in a container, mount a volume there that this user may write", err, filepath.Dir(s.path), os.Geteuid())
	}
	if errors.Is(err, sqlite3.FULL) || errors.Is(err, sqlite3.IOERR) {
		return fmt.Errorf("%w: make room on the disk, or replace it if it fails", err)
	}
	if !errors.Is(err, sqlite3.NOTADB) && !errors.Is(err, sqlite3.CORRUPT) {
		return err
	}
	return fmt.Errorf("the database %[1]s is damaged or no database of Portico: stop every Portico and put the newest copy that 'portico backup' made in its place with "+
		"'portico restore --replace FILE' (%[2]w)", s.path, err)
}
