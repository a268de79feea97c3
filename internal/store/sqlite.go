package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/ncruces/go-sqlite3"
	_ "github.com/ncruces/go-sqlite3/driver" // registers the driver
)

// openSQLite opens the file twice: one connection that writes, and a pool that
// only reads and never waits for the writer (WAL).
func openSQLite(ctx context.Context, path string) (*sql.DB, *sql.Conn, *sql.DB, error) {
	if err := createPrivate(path); err != nil {
		return nil, nil, nil, err
	}
	pragmas := []string{
		"busy_timeout(5000)", // milliseconds; only for a second process, a backup say
		"synchronous(full)",  // not the driver's default on a WAL file
		"foreign_keys(1)",
	}
	writerDB, err := openPool(path, append(pragmas, "journal_mode(wal)"), 2) // the second one is for migrations
	if err != nil {
		return nil, nil, nil, err
	}
	writer, err := connect(ctx, writerDB)
	if err != nil {
		_ = writerDB.Close()
		return nil, nil, nil, fmt.Errorf("open the database %s: %w", path, err)
	}
	if err := keepPrivate(ctx, writer, path); err != nil {
		return nil, nil, nil, errors.Join(err, writer.Close(), writerDB.Close())
	}
	reader, err := openPool(path, append(pragmas, "query_only(1)", "cache_size(-1000)"), max(4, runtime.NumCPU()))
	if err != nil {
		return nil, nil, nil, errors.Join(err, writer.Close(), writerDB.Close())
	}
	return writerDB, writer, reader, nil
}

func openPool(path string, pragmas []string, size int) (*sql.DB, error) {
	query := url.Values{"_pragma": pragmas}
	db, err := sql.Open("sqlite3", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+query.Encode())
	if err != nil {
		return nil, fmt.Errorf("open the database %s: %w", path, err)
	}
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return db, nil
}

// connect opens the connection that writes. Of processes that open a new file
// together one turns it to WAL; SQLite does not let the others wait for that.
func connect(ctx context.Context, db *sql.DB) (*sql.Conn, error) {
	const pause, most = 20 * time.Millisecond, 100
	for tries := 1; ; tries++ {
		conn, err := db.Conn(ctx)
		if !errors.Is(err, sqlite3.BUSY) || tries == most {
			return conn, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// createPrivate makes the file and its folder readable by their owner only,
// whatever the umask.
func createPrivate(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("create the folder of the database: %w", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("open the database: %w", err)
	}
	return f.Close()
}

// keepPrivate does the same for the files that SQLite keeps beside an open
// database, which the driver makes with the mode of the umask.
func keepPrivate(ctx context.Context, writer *sql.Conn, path string) error {
	if _, err := writer.ExecContext(ctx, "BEGIN IMMEDIATE; COMMIT"); err != nil { // makes them
		return fmt.Errorf("open the database: %w", err)
	}
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		if err := os.Chmod(name, 0o600); err != nil {
			return fmt.Errorf("open the database: %w", err)
		}
	}
	return nil
}
