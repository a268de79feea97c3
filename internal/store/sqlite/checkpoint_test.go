package sqlite

import (
	"os"
	"sync"
	"testing"
	"time"

	"portico/internal/store/engine"
	"portico/internal/testform"
)

const (
	testGrow, testRestart, testLimit = 40, 160, 320
	testPages                        = 20 // grows writes a few pages more than this
)

// small returns a database whose log is copied early.
func small(t *testing.T) *DB {
	t.Helper()
	s := open(t)
	if _, err := s.writer.ExecContext(t.Context(), `CREATE TABLE blob (bytes BYTEA)`); err != nil {
		t.Fatal(err)
	}
	c := s.checkpoint
	c.grow, c.restart, c.limit = testGrow, testRestart, testLimit
	return s
}

// grows writes so many times without a pause, and returns the longest log.
func grows(t *testing.T, s *DB, times int) (longest int64) {
	t.Helper()
	for range times {
		err := s.Write(t.Context(), func(tx *engine.Tx) error {
			_, err := tx.Exec(t.Context(), `INSERT INTO blob (bytes) VALUES ($1)`, make([]byte, testPages*4096))
			return err
		})
		if err != nil {
			t.Error(err)
			return longest
		}
		longest = max(longest, s.checkpoint.pages.Load())
	}
	return longest
}

// A log that is written without a pause starts again between two writes. Where
// that does not help, the writer waits.
func TestLogBeginsAgain(t *testing.T) {
	t.Parallel()
	const never = 1 << 40
	for name, limits := range map[string]struct{ restart, limit, most int64 }{ // pages; 17,000 without either
		"between two writes": {testRestart, never, 12000}, // whenever the copy comes to run
		"the writer waits":   {never, testLimit, 3000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := small(t)
			c := s.checkpoint
			c.restart, c.limit = limits.restart, limits.limit
			var writers sync.WaitGroup
			for range 8 { // so that a writer always waits
				writers.Go(func() {
					if longest := grows(t, s, 100); longest > limits.most {
						t.Errorf("the log grew to %d pages", longest)
					}
				})
			}
			writers.Wait()
		})
	}
}

// The log is copied without a request for it, while no write runs.
func TestLogIsCopiedBeside(t *testing.T) {
	t.Parallel()
	s := small(t)
	before := s.size(t)
	grows(t, s, 1+testGrow/testPages)
	for deadline := time.Now().Add(testform.Patience); s.size(t) == before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nothing of the log is copied")
		}
	}
}

// A reader of an old state, such as a copy or a move, keeps the log in use.
// Writers do not wait for the reader. When it is gone, the log starts again and
// its file becomes short.
func TestLogOfALongReader(t *testing.T) {
	t.Parallel()
	s := small(t)
	reader, err := s.reader.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Rollback()
	var n int
	if err := reader.QueryRow(`SELECT COUNT(*) FROM blob`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	if longest := grows(t, s, 50); longest < 50*testPages {
		t.Errorf("the log has %d pages: it has begun again under a reader", longest)
	}
	if err := reader.QueryRow(`SELECT COUNT(*) FROM blob`).Scan(&n); err != nil || n != 0 {
		t.Errorf("the reader sees %d rows (%v) of later", n, err)
	}
	if _, err := s.writer.ExecContext(t.Context(), `PRAGMA journal_size_limit(65536)`); err != nil {
		t.Fatal(err)
	}
	if err := reader.Rollback(); err != nil {
		t.Fatal(err)
	}
	// On a busy machine, many writes may end before the copy comes to run. The file becomes short with the write after that.
	const short = (testLimit + 2*testPages) * 4200
	for deadline := time.Now().Add(testform.Patience); grows(t, s, 1) > testLimit+2*testPages || sizeOf(t, s.path+"-wal") > short; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the log has %d pages in %d bytes after the reader has gone", s.checkpoint.pages.Load(), sizeOf(t, s.path+"-wal"))
		}
	}
}

func (s *DB) size(t *testing.T) int64 { return sizeOf(t, s.path) }

func sizeOf(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
