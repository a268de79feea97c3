package sqlite

import (
	"errors"
	"fmt"

	"github.com/ncruces/go-sqlite3"
)

// Explain implements engine.Engine. It says what to do about a file that SQLite
// cannot read.
func (s *DB) Explain(err error) error {
	if !errors.Is(err, sqlite3.NOTADB) && !errors.Is(err, sqlite3.CORRUPT) {
		return err
	}
	return fmt.Errorf("the database %[1]s is damaged or no database of Portico: stop every Portico and put the newest copy that 'portico backup' made in its place with "+
		"'portico restore --replace FILE' (%[2]w)", s.path, err)
}
