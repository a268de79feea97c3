package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/ncruces/go-sqlite3"
)

const (
	writeQueue = 1024 // writes that may wait; more are refused at once
	groupLimit = 128  // writes that share one commit

	// writeWait is how long a write may wait for its turn.
	writeWait = 5 * time.Second
)

var (
	errQueueFull = errors.New("the write queue is full")
	errClosed    = errors.New("the store is closed")

	// errTransactionLost says that a savepoint could not be kept: nothing of
	// the group may be committed.
	errTransactionLost = errors.New("the transaction is lost")
)

// job is one write on its way through the writer.
type job struct {
	fn    func(*Tx) error
	taken atomic.Bool // set once, by the writer or by the caller that gives up
	done  chan error  // buffered: the writer never waits for a caller
}

// write hands fn to the one writer that SQLite allows. The writes that wait
// share one commit; each has a savepoint of its own and fails alone. A caller
// whose context ends while its write waits takes it back. fn runs at most once.
func (s *sqlite) write(ctx context.Context, fn func(*Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, writeWait)
	defer cancel()
	j := &job{fn: fn, done: make(chan error, 1)}
	select {
	case <-s.stop:
		return unavailable(errClosed)
	default:
	}
	select {
	case s.jobs <- j:
	default:
		return unavailable(errQueueFull)
	}
	select {
	case err := <-j.done:
		return err
	case <-ctx.Done():
		if j.taken.CompareAndSwap(false, true) {
			return unavailable(ctx.Err())
		}
		return <-j.done // begun: the outcome is near and must not stay unknown
	}
}

func (s *sqlite) writeLoop() {
	for {
		select {
		case j := <-s.jobs:
			s.commitGroup(s.gather(j))
		case <-s.stop:
			for {
				select {
				case j := <-s.jobs:
					s.commitGroup(s.gather(j))
				default:
					return
				}
			}
		}
	}
}

// gather adds the writes that already wait to the first one, and leaves out
// those that were taken back.
func (s *sqlite) gather(first *job) []*job {
	group := make([]*job, 0, 8)
	for j := first; ; {
		if j.taken.CompareAndSwap(false, true) {
			group = append(group, j)
		}
		if len(group) == groupLimit {
			return group
		}
		select {
		case j = <-s.jobs:
		default:
			return group
		}
	}
}

// commitGroup runs the jobs in one transaction and answers them after its
// commit.
func (s *sqlite) commitGroup(group []*job) {
	if len(group) == 0 {
		return
	}
	s.measures.group.Observe(len(group))
	results := make([]error, len(group))
	err := s.inTransaction(func(tx *Tx) error {
		for i, j := range group {
			results[i] = runJob(tx, j)
			if errors.Is(results[i], errTransactionLost) {
				return results[i]
			}
		}
		return nil
	})
	for i, j := range group {
		if results[i] == nil && err != nil || failsToStore(results[i]) {
			s.measures.failed.Add(1)
			results[i] = unavailable(cmp.Or(results[i], err))
		}
		j.done <- results[i]
	}
}

// failsToStore reports whether an error is the machine's and not the caller's:
// the disk is full, cannot be written or read, or the transaction was lost.
func failsToStore(err error) bool {
	for _, code := range []error{errTransactionLost, sqlite3.FULL, sqlite3.IOERR, sqlite3.READONLY, sqlite3.CANTOPEN, sqlite3.NOMEM, sqlite3.BUSY, sqlite3.LOCKED} {
		if errors.Is(err, code) {
			return true
		}
	}
	return false
}

// runJob runs one job inside a savepoint.
func runJob(tx *Tx, j *job) error {
	ctx := context.Background() // a caller that goes away must not break the group
	if _, err := tx.exec(ctx, "SAVEPOINT job"); err != nil {
		return fmt.Errorf("%w: %w", errTransactionLost, err)
	}
	before := len(tx.after)
	err := guarded(tx, j.fn)
	if err != nil {
		tx.after = tx.after[:before]
		if _, rerr := tx.exec(ctx, "ROLLBACK TO job"); rerr != nil {
			return fmt.Errorf("%w: %w", errTransactionLost, errors.Join(rerr, err))
		}
	}
	if _, rerr := tx.exec(ctx, "RELEASE job"); rerr != nil {
		return fmt.Errorf("%w: %w", errTransactionLost, errors.Join(rerr, err))
	}
	return err
}

func (s *sqlite) inTransaction(fn func(*Tx) error) error {
	s.checkpoint.begin()
	defer s.checkpoint.end()
	ctx := context.Background()
	tx := &Tx{runner: sqliteRunner{s.writer, &s.statements}}
	if _, err := tx.exec(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	// The transaction that moves the data away is before this one or after it.
	state, err := tx.MoveState(ctx)
	if err == nil && state == MoveGone {
		err = ErrMoved
	}
	if err == nil {
		err = fn(tx)
	}
	if err == nil {
		start := time.Now()
		_, err = tx.exec(ctx, "COMMIT")
		s.measures.commit.Observe(time.Since(start))
	}
	if err != nil {
		// SQLite rolls back by itself on some errors; then this one fails and
		// there is nothing left to roll back.
		_, _ = tx.exec(ctx, "ROLLBACK")
		return err
	}
	tx.committed()
	return nil
}
