package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// Config says where the database is.
type Config struct {
	URL string // sqlite:PATH

	MustExist bool // whether a database that is not there is an error, not made
}

// Store is an open database. It is safe for concurrent use.
type Store struct {
	path       string
	reader     *sql.DB
	writerDB   *sql.DB
	writer     *sql.Conn
	statements statements
	measures   measures

	write chan *job
	stop  chan struct{}
	done  sync.WaitGroup
}

// Open opens the database and starts its writer. It does not migrate.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	path, ok := strings.CutPrefix(cfg.URL, "sqlite:")
	if !ok || path == "" {
		return nil, fmt.Errorf("the database URL %q is not understood: write sqlite:PATH", redact(cfg.URL))
	}
	if _, err := os.Stat(path); cfg.MustExist && err != nil {
		return nil, fmt.Errorf("there is no database at %s: run this in the folder and with the settings of your installation, or make one with 'portico migrate'", path)
	}
	writerDB, writer, reader, err := openSQLite(ctx, path)
	if err != nil {
		return nil, damaged(path, err)
	}
	s := &Store{
		path: path, reader: reader, writerDB: writerDB, writer: writer, measures: newMeasures(),
		write: make(chan *job, writeQueue), stop: make(chan struct{}),
	}
	s.done.Go(s.writeLoop)
	return s, nil
}

// Close waits for the writes that were accepted, then closes the database.
func (s *Store) Close() error {
	close(s.stop)
	s.done.Wait()
	s.statements.close()
	return errors.Join(s.reader.Close(), s.writer.Close(), s.writerDB.Close())
}

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error {
	return s.reader.PingContext(ctx)
}

// Read runs fn outside a transaction: each statement sees the newest
// committed state, and two statements may see different ones.
func (s *Store) Read(ctx context.Context, fn func(*Tx) error) error {
	return fn(&Tx{q: s.reader, statements: &s.statements})
}

// redact hides what a database URL may hold besides the engine.
func redact(url string) string {
	scheme, _, _ := strings.Cut(url, ":")
	return scheme + ":..."
}

func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func fromMicros(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}
