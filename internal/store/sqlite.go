package store

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"

	_ "modernc.org/sqlite" // registers the driver
)

// openSQLite opens the file twice: one connection that writes, and a pool that
// only reads and never waits for the writer (WAL).
func openSQLite(ctx context.Context, path string) (*sql.DB, *sql.Conn, *sql.DB, error) {
	if err := createPrivate(path); err != nil {
		return nil, nil, nil, err
	}
	pragmas := []string{
		"busy_timeout(5000)", // milliseconds; only for a second process, a backup say
		"journal_mode(WAL)",
		"synchronous(FULL)",
		"foreign_keys(ON)",
		"temp_store(MEMORY)",
	}
	writerDB, err := openPool(path, pragmas, 2) // the second one is for migrations
	if err != nil {
		return nil, nil, nil, err
	}
	writer, err := writerDB.Conn(ctx)
	if err != nil {
		_ = writerDB.Close()
		return nil, nil, nil, fmt.Errorf("open the database %s: %w", path, err)
	}
	reader, err := openPool(path, append(pragmas, "query_only(ON)"), max(4, runtime.NumCPU()))
	if err != nil {
		_ = writer.Close()
		_ = writerDB.Close()
		return nil, nil, nil, err
	}
	return writerDB, writer, reader, nil
}

func openPool(path string, pragmas []string, size int) (*sql.DB, error) {
	query := url.Values{"_pragma": pragmas}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+query.Encode())
	if err != nil {
		return nil, fmt.Errorf("open the database %s: %w", path, err)
	}
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return db, nil
}

// createPrivate makes the file and its folder readable by their owner only,
// whatever the umask: SQLite gives its WAL the mode of the file.
func createPrivate(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("create the folder of the database: %w", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("open the database %s: %w", path, err)
	}
	return f.Close()
}
