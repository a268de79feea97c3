package store

import (
	"context"
	"fmt"
	"net/url"
	"os"
)

// lookSQLite opens the file for reading. A log beside it belongs to a process
// that has the database open, or has died: it is read with the database. Without
// one the file is whole, and is read as a picture, since SQLite would make a log
// even for a reader.
func lookSQLite(path string) (*sqliteLook, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("look at the database: %w", err)
	}
	how := url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(2000)", "query_only(1)"}}
	if !there(path+"-wal") || !there(path+"-shm") {
		how.Set("immutable", "1")
	}
	db, err := openFile(path, how, 2)
	if err != nil {
		return nil, err
	}
	return &sqliteLook{&sqlite{path: path, reader: db, writerDB: db, measures: newMeasures()}}, nil
}

func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// sqliteLook is a file without its writer.
type sqliteLook struct{ *sqlite }

func (s *sqliteLook) close() error {
	s.statements.close()
	return s.reader.Close()
}

func (s *sqlite) facts(ctx context.Context) (Facts, error) {
	f := Facts{Engine: "SQLite"}
	err := s.reader.QueryRowContext(ctx, `SELECT sqlite_version()`).Scan(&f.Version)
	if err != nil {
		return f, fmt.Errorf("read the database: %w", err)
	}
	used, err := finds(ctx, s.reader, `SELECT 1 FROM sqlite_schema WHERE name = 'goose_db_version'`)
	if err != nil || !used {
		return f, err
	}
	err = s.reader.QueryRowContext(ctx, `SELECT coalesce(max(version_id), 0) FROM goose_db_version`).Scan(&f.Schema)
	return f, err
}
