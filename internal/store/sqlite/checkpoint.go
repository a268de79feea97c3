package sqlite

import (
	"context"
	"database/sql"
	"sync"
	"sync/atomic"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"
)

// Sizes of the write-ahead log, in pages of 4 KiB.
const (
	checkpointPages = 4000   // the log is copied into the database each time it has grown by this much
	restartPages    = 16_000 // the log is made to start again, even without a pause between two writes
	restartLeft     = 500    // what may be left to copy while the writer waits
	logLimit        = 32_000 // the writer waits until the log is copied: the disk is too slow
)

// checkpoint copies the log into the database on a connection of its own. By
// default SQLite does this inside a commit, and every caller waits for it.
//
// The log starts again when a write begins while the whole log is copied and no
// reader uses it. That happens by itself in a pause, and otherwise through a
// step between two writes.
//
// Up to SQLite 3.51.2, copying during a write could damage the database:
// https://sqlite.org/wal.html#walresetbug
type checkpoint struct {
	db            *sql.DB // connects when it is first used
	grow, restart int64
	limit         int64
	due           chan struct{} // buffered: the log has grown far enough
	pages         atomic.Int64  // length of the log after the last commit
	tried         atomic.Int64  // length of the log when it was last copied
	stuck         atomic.Bool   // a reader uses an old state, or the disk fails: waiting does not help
	copying       sync.Mutex    // held while the log is copied; taken before turn
	turn          sync.Mutex    // held while writing, and to copy the last pages
}

func newCheckpoint(path string) (*checkpoint, error) {
	// The timeout is how long the step between two writes waits for readers.
	db, err := OpenPool(path, []string{"busy_timeout(20)", synchronous}, 1)
	return &checkpoint{db: db, grow: checkpointPages, restart: restartPages, limit: logLimit, due: make(chan struct{}, 1)}, err
}

// watch notes the length of the log after each commit. Its hook replaces
// SQLite's own, which would copy the log.
func (c *checkpoint) watch(writer *sql.Conn) error {
	return writer.Raw(func(conn any) error {
		conn.(driver.Conn).Raw().WALHook(func(_ *sqlite3.Conn, _ string, pages int) error {
			c.grown(int64(pages))
			return nil
		})
		return nil
	})
}

func (c *checkpoint) grown(pages int64) {
	c.pages.Store(pages)
	if pages < c.tried.Load() { // the log has started again
		c.tried.Store(0)
	}
	if c.needed() {
		select {
		case c.due <- struct{}{}:
		default:
		}
	}
}

func (c *checkpoint) needed() bool { return c.pages.Load()-c.tried.Load() >= c.grow }

func (c *checkpoint) loop(stop <-chan struct{}) {
	for {
		select {
		case <-c.due:
			c.run()
		case <-stop:
			return
		}
	}
}

// begin takes the turn to write.
func (c *checkpoint) begin() {
	if c.pages.Load() >= c.limit && !c.stuck.Load() {
		c.run()
	}
	c.turn.Lock()
}

func (c *checkpoint) end() { c.turn.Unlock() }

// run copies the log unless another caller just did. After a failure it runs
// again when the log has grown as far once more. Commits report a disk that
// fails.
func (c *checkpoint) run() {
	c.copying.Lock()
	defer c.copying.Unlock()
	if c.needed() {
		c.stuck.Store(!c.copy(context.Background()))
	}
}

// copy reports whether it copied the whole log.
func (c *checkpoint) copy(ctx context.Context) bool {
	const most = 4 // passes; each copies what was written during the one before
	for before, n := int64(-1), 0; n < most; n++ {
		c.tried.Store(c.pages.Load())
		all, copied := c.step(ctx, "PASSIVE")
		if copied < 0 {
			return false
		}
		c.stuck.Store(!all)
		pages := c.pages.Load()
		if pages < max(copied, c.restart) { // the log has started again, or does not need to yet
			return all
		}
		if pages-copied <= restartLeft {
			break
		}
		if copied == before {
			return false
		}
		before = copied
	}
	c.turn.Lock()
	defer c.turn.Unlock()
	if all, _ := c.step(ctx, "RESTART"); !all {
		return false
	}
	c.pages.Store(0)
	c.tried.Store(0)
	return true
}

// step returns how many pages of the log are copied, and whether that is all of
// them. The number is negative when another process copies the log or the disk
// fails.
func (c *checkpoint) step(ctx context.Context, mode string) (all bool, copied int64) {
	var busy bool
	var log int64
	err := c.db.QueryRowContext(ctx, `PRAGMA wal_checkpoint(`+mode+`)`).Scan(&busy, &log, &copied)
	if err != nil || busy {
		return false, -1
	}
	return copied == log, copied
}
