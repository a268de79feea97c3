package sqlite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/ncruces/go-sqlite3"

	"portico/internal/store/engine"
)

const (
	writeQueue = 1024 // writes that may wait; more are refused at once

	// writeWait is how long a write may wait for its turn.
	writeWait = 5 * time.Second
)

var (
	errQueueFull = errors.New("the write queue is full")
	errClosed    = errors.New("the store is closed")

	// errTransactionLost says that a savepoint failed: nothing of the group may
	// be committed.
	errTransactionLost = errors.New("the transaction is lost")
)

// job is one write that waits for the writer.
type job struct {
	fn    func(*engine.Tx) error
	taken atomic.Bool // set once, by the writer or by a caller that gives up
	err   error       // of fn
	done  chan error  // buffered: the writer never waits for a caller
}

// Write implements engine.Engine. It hands fn to the one writer that SQLite
// allows. Writes that wait share one commit; each has its own savepoint and
// fails alone. A caller whose context ends takes back a write that still waits.
// fn runs at most once.
func (s *DB) Write(ctx context.Context, fn func(*engine.Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, writeWait)
	defer cancel()
	j := &job{fn: fn, done: make(chan error, 1)}
	select {
	case <-s.stop:
		return engine.Unavailable(errClosed)
	default:
	}
	select {
	case s.jobs <- j:
	default:
		return engine.Unavailable(errQueueFull)
	}
	select {
	case err := <-j.done:
		return err
	case <-ctx.Done():
		if j.take() {
			return engine.Unavailable(ctx.Err())
		}
		return <-j.done // the write has begun, so its outcome is near and must be known
	}
}

func (s *DB) writeLoop() {
	for {
		select {
		case j := <-s.jobs:
			if j.take() {
				s.commitGroup(j)
			}
		case <-s.stop:
			for j := s.waiting(); j != nil; j = s.waiting() {
				s.commitGroup(j)
			}
			return
		}
	}
}

// take reports false if the caller has given up.
func (j *job) take() bool { return j.taken.CompareAndSwap(false, true) }

// waiting takes the next write that waits. It returns nil if there is none.
func (s *DB) waiting() *job {
	for {
		select {
		case j := <-s.jobs:
			if j.take() {
				return j
			}
		default:
			return nil
		}
	}
}

// next is waiting. If no write waits, it lets the goroutines that can run do so first: some
// of them may be about to write, and a commit costs more than a write.
func (s *DB) next() *job {
	if j := s.waiting(); j != nil {
		return j
	}
	runtime.Gosched()
	return s.waiting()
}

// commitGroup runs a write in one transaction with the writes that come until the last
// of them has run. It answers their callers after the commit.
func (s *DB) commitGroup(first *job) {
	group := []*job{first}
	err := s.inTransaction(func(tx *engine.Tx) error {
		for n := 0; n < len(group); n++ {
			j := group[n]
			if j.err = runJob(tx, j); errors.Is(j.err, errTransactionLost) {
				return j.err
			}
			if len(group) < engine.GroupLimit {
				if next := s.next(); next != nil {
					group = append(group, next)
				}
			}
		}
		return nil
	})
	s.measures.Group.Observe(len(group))
	for _, j := range group {
		if j.err == nil && err != nil || failsToStore(j.err) {
			s.measures.Failed.Add(1)
			s.failing.Store(true)
			j.err = engine.Unavailable(s.Explain(cmp.Or(j.err, err)))
		}
		j.done <- j.err
	}
}

// failsToStore reports whether the machine caused an error, and not the caller:
// the disk is full or fails, or the transaction was lost.
func failsToStore(err error) bool {
	for _, code := range []error{errTransactionLost, sqlite3.FULL, sqlite3.IOERR, sqlite3.READONLY, sqlite3.CANTOPEN, sqlite3.NOMEM, sqlite3.BUSY, sqlite3.LOCKED} {
		if errors.Is(err, code) {
			return true
		}
	}
	return false
}

// runJob runs one job inside a savepoint.
func runJob(tx *engine.Tx, j *job) error {
	ctx := context.Background()
	if _, err := tx.Exec(ctx, "SAVEPOINT job"); err != nil {
		return fmt.Errorf("%w: %w", errTransactionLost, err)
	}
	before := len(tx.After)
	err := engine.Guarded(tx, j.fn)
	if err != nil {
		tx.After = tx.After[:before]
		if _, rerr := tx.Exec(ctx, "ROLLBACK TO job"); rerr != nil {
			return fmt.Errorf("%w: %w", errTransactionLost, errors.Join(rerr, err))
		}
	}
	if _, rerr := tx.Exec(ctx, "RELEASE job"); rerr != nil {
		return fmt.Errorf("%w: %w", errTransactionLost, errors.Join(rerr, err))
	}
	return err
}

func (s *DB) inTransaction(fn func(*engine.Tx) error) error {
	s.checkpoint.begin()
	defer s.checkpoint.end()
	ctx := context.Background()
	tx := &engine.Tx{Runner: unwatched{runner{s.writer, &s.statements}}}
	if _, err := tx.Exec(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	// The transaction of a move that ends this database is either before this
	// one or after it.
	state, err := tx.MoveState(ctx)
	if err == nil && state == engine.MoveGone {
		err = engine.ErrMoved
	}
	if err == nil {
		err = fn(tx)
	}
	if err == nil {
		start := time.Now()
		_, err = tx.Exec(ctx, "COMMIT")
		s.measures.Commit.Observe(time.Since(start))
	}
	if err != nil {
		// SQLite rolls back by itself on some errors. This statement then
		// fails, and nothing is left to do.
		_, _ = tx.Exec(ctx, "ROLLBACK")
		return err
	}
	tx.Committed()
	return nil
}
