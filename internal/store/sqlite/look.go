package sqlite

import (
	"context"
	"fmt"
	"net/url"
	"os"

	"portico/internal/file"
	"portico/internal/store/engine"
)

// Look opens the file for reading. A log next to it belongs to a process that has the
// database open or has died, and is read as well. Without a log the file is opened as
// immutable, because SQLite would create a log even for a reader.
func Look(path string) (engine.Engine, error) {
	if err := file.Check(path); err != nil {
		return nil, fmt.Errorf("the database %w", file.Plain(err))
	}
	how := url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(2000)", "query_only(1)"}}
	if !there(path+"-wal") || !there(path+"-shm") {
		how.Set("immutable", "1")
	}
	db, err := openFile(path, how, 2)
	if err != nil {
		return nil, err
	}
	return &reading{&DB{path: path, reader: db, writerDB: db, measures: engine.NewMeasures()}}, nil
}

func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// reading is a file that is open without its writer.
type reading struct{ *DB }

// Close implements engine.Engine.
func (s *reading) Close() error {
	s.statements.close()
	return s.reader.Close()
}

// Rights implements engine.Engine. The system has the rights to a file.
func (s *DB) Rights(_ context.Context, _ engine.Facts, failed error) error { return failed }

// Facts implements engine.Engine.
func (s *DB) Facts(ctx context.Context) (engine.Facts, error) {
	f := engine.Facts{Engine: "SQLite"}
	err := s.reader.QueryRowContext(ctx, `SELECT sqlite_version()`).Scan(&f.Version)
	if err != nil {
		return f, fmt.Errorf("read the database: %w", err)
	}
	const has = `SELECT 1 FROM sqlite_schema WHERE name = `
	used, err := finds(ctx, s.reader, has+`'`+engine.VersionTable+`'`)
	if err == nil && !used {
		f.Unreleased, err = finds(ctx, s.reader, has+`'installation' AND EXISTS (`+has+`'goose_db_version')`)
	}
	if err != nil || !used {
		return f, err
	}
	err = s.reader.QueryRowContext(ctx, `SELECT coalesce(max(version_id), 0) FROM `+engine.VersionTable).Scan(&f.Schema)
	return f, err
}
