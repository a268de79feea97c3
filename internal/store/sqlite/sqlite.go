package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ncruces/go-sqlite3"
	_ "github.com/ncruces/go-sqlite3/driver" // registers the driver
	"github.com/pressly/goose/v3"

	"portico/internal/file"
	"portico/internal/store/engine"
)

// DB is a database in one file: one connection that writes, and a pool that only
// reads and never waits for the writer (WAL). It implements engine.Engine.
type DB struct {
	path       string
	reader     *sql.DB
	writerDB   *sql.DB
	writer     *sql.Conn
	statements statements
	measures   engine.Measures
	checkpoint *checkpoint
	failing    atomic.Bool // a write could not be stored, and Ping has stored none since

	jobs chan *job
	stop chan struct{}
	done sync.WaitGroup
}

// synchronous differs from the driver's default for a WAL file.
const synchronous = "synchronous(full)"

// Open opens the file and starts its writer.
func Open(ctx context.Context, path string, mustExist bool) (*DB, error) {
	switch err := file.Check(path); {
	case errors.Is(err, file.ErrKind): // SQLite would wait at a pipe, and the mode of a device would change
		return nil, fmt.Errorf("the database %w: correct database_url", file.Plain(err))
	case err == nil, !mustExist:
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("the database %w: run this as root or as the user of the server", file.Plain(err))
	default:
		return nil, fmt.Errorf("%w at %s: run this in the folder and with the settings of your installation, or make one with 'portico migrate'", engine.ErrNone, path)
	}
	s := &DB{path: path, measures: engine.NewMeasures(), jobs: make(chan *job, writeQueue), stop: make(chan struct{})}
	if err := s.connect(ctx); err != nil {
		return nil, s.Explain(err)
	}
	s.done.Go(s.writeLoop)
	s.done.Go(func() { s.checkpoint.loop(s.stop) })
	return s, nil
}

// Path returns where the file is.
func (s *DB) Path() string { return s.path }

// Reader returns the connections that only read.
func (s *DB) Reader() *sql.DB { return s.reader }

// Read implements engine.Engine.
func (s *DB) Read() *engine.Tx { return &engine.Tx{Runner: runner{s.reader, &s.statements}} }

// Ping implements engine.Engine. A full disk still answers, so after a write that could not be
// stored, Ping writes what is there already, until that is stored: nobody else may come to write.
func (s *DB) Ping(ctx context.Context) error {
	if _, err := finds(ctx, s.reader, `SELECT 1 FROM sqlite_schema`); err != nil || !s.failing.Load() {
		return err
	}
	err := s.Write(ctx, func(tx *engine.Tx) error {
		tx.After = append(tx.After, func() { s.failing.Store(false) })
		_, err := tx.Exec(ctx, `PRAGMA user_version = 0`)
		return err
	})
	if failsToStore(err) {
		return engine.Reword(err.Error(), engine.ErrReadOnly)
	}
	return err
}

// Shared implements engine.Engine.
func (s *DB) Shared() bool { return false }

// Now implements engine.Engine.
func (s *DB) Now(context.Context) (time.Time, bool, error) { return time.Time{}, false, nil }

// Lineage implements engine.Engine. A file cannot tell where it is: only a copy that
// Backup has made says so (markCopy).
func (s *DB) Lineage(context.Context) (string, error) { return "", nil }

// Schema implements engine.Engine.
func (s *DB) Schema() (goose.Dialect, *sql.DB) { return goose.DialectSQLite3, s.writerDB }

// Close implements engine.Engine.
func (s *DB) Close() error {
	close(s.stop)
	s.done.Wait()
	s.statements.close()
	return errors.Join(s.checkpoint.db.Close(), s.reader.Close(), s.writer.Close(), s.writerDB.Close())
}

// Contested implements engine.Engine.
func (s *DB) Contested(error) bool { return false }

func (s *DB) connect(ctx context.Context) error {
	if err := createPrivate(s.path); err != nil {
		return err
	}
	pragmas := []string{
		"busy_timeout(5000)", // milliseconds; only for a second process, such as a backup
		synchronous,
		"foreign_keys(1)",
	}
	writing := append(slices.Clone(pragmas),
		"journal_mode(wal)",
		"temp_store(memory)", // a savepoint keeps its undo data: not in a file
		fmt.Sprintf("wal_autocheckpoint(%d)", checkpointPages), // for migrations, whose connection is not watched
		fmt.Sprintf("journal_size_limit(%d)", logLimit*4096),   // a longer log file is cut to this length
	)
	var err error
	if s.writerDB, err = OpenPool(s.path, writing, 2); err != nil { // the second one is for migrations
		return err
	}
	if s.writer, err = patiently(ctx, s.writerDB); err != nil {
		_ = s.writerDB.Close()
		return fmt.Errorf("open the database %s: %w", s.path, err)
	}
	if err := s.connectBeside(ctx, pragmas); err != nil {
		return errors.Join(err, s.writer.Close(), s.writerDB.Close())
	}
	return nil
}

// connectBeside opens the other connections.
func (s *DB) connectBeside(ctx context.Context, pragmas []string) (err error) {
	if err := keepPrivate(ctx, s.writer, s.path); err != nil {
		return err
	}
	if s.checkpoint, err = newCheckpoint(s.path); err != nil {
		return err
	}
	err = s.checkpoint.watch(s.writer)
	if err == nil {
		s.reader, err = OpenPool(s.path, append(pragmas, "query_only(1)", "cache_size(-1000)"), max(4, runtime.NumCPU()))
	}
	if err != nil {
		_ = s.checkpoint.db.Close()
	}
	return err
}

// OpenPool opens a pool of the given size on a file, with the pragmas.
func OpenPool(path string, pragmas []string, size int) (*sql.DB, error) {
	return openFile(path, url.Values{"_pragma": pragmas}, size)
}

func openFile(path string, query url.Values, size int) (*sql.DB, error) {
	db, err := sql.Open("sqlite3", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+query.Encode())
	if err != nil {
		return nil, fmt.Errorf("open the database %s: %w", path, err)
	}
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return db, nil
}

// patiently opens the connection that writes. When several processes open a new
// file, one of them switches it to WAL mode, and SQLite gives the others an
// error in place of waiting.
func patiently(ctx context.Context, db *sql.DB) (*sql.Conn, error) {
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
	if err := file.NewFolders(filepath.Dir(path)); err != nil {
		return fmt.Errorf("create the folder of the database: %w", err)
	}
	f, err := file.Ensure(path, 0o600)
	if err != nil {
		return fmt.Errorf("open the database: %w", err)
	}
	return f.Close()
}

// keepPrivate does the same for the files that SQLite keeps next to an open database. The
// driver creates them with the mode of the umask.
func keepPrivate(ctx context.Context, writer *sql.Conn, path string) error {
	if _, err := writer.ExecContext(ctx, "BEGIN IMMEDIATE; COMMIT"); err != nil { // creates them
		return fmt.Errorf("open the database: %w", err)
	}
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		if err := os.Chmod(name, 0o600); err != nil {
			return fmt.Errorf("open the database: %w", err)
		}
	}
	return nil
}
