package sqlite

import (
	"context"
	"database/sql"
	"sync"
	"sync/atomic"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"
)

// Sizes of the log, in pages of 4 KiB.
const (
	checkpointPages = 4000   // it is copied into the database each time it has grown by so much
	restartPages    = 16_000 // it has to begin again, also when there is no pause between two writes
	restartLeft     = 500    // what may be left to copy while the writer waits
	logLimit        = 32_000 // the writer waits until it is copied: the disk does not follow
)

// checkpoint copies the log into the database beside the writer, on a connection
// of its own. SQLite's way is that a commit does it, for which everybody waits.
//
// The log begins again when a write begins while all of it is copied and nobody
// reads it: by itself in a pause, else with a step between two writes.
//
// Up to SQLite 3.51.2 one connection that copies while another writes could
// damage the database: https://sqlite.org/wal.html#walresetbug
type checkpoint struct {
	db            *sql.DB // opens its connection when it is needed
	grow, restart int64
	limit         int64
	due           chan struct{} // buffered: the log has grown far enough
	pages         atomic.Int64  // of the log, after the last commit
	tried         atomic.Int64  // of the log, when it was last copied
	stuck         atomic.Bool   // somebody reads an old state, or the disk fails: to wait is no use
	copying       sync.Mutex    // held while the log is copied; taken before turn
	turn          sync.Mutex    // held by whoever writes, and to copy the last pages
}

func newCheckpoint(path string) (*checkpoint, error) {
	// The timeout is how long the step between two writes waits for readers.
	db, err := OpenPool(path, []string{"busy_timeout(20)", synchronous}, 1)
	return &checkpoint{db: db, grow: checkpointPages, restart: restartPages, limit: logLimit, due: make(chan struct{}, 1)}, err
}

// watch notes after each commit of the writer how long the log is. It takes the
// place of the copying by commits.
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
	if pages < c.tried.Load() { // it has begun again
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

// run copies the log unless somebody else just has. What fails is tried again
// when the log has grown as far once more, and that a disk fails is told by the
// commits.
func (c *checkpoint) run() {
	c.copying.Lock()
	defer c.copying.Unlock()
	if c.needed() {
		c.stuck.Store(!c.copy(context.Background()))
	}
}

// copy reports whether nothing was in its way.
func (c *checkpoint) copy(ctx context.Context) bool {
	const most = 4 // each time what was written meanwhile
	for before, n := int64(-1), 0; n < most; n++ {
		c.tried.Store(c.pages.Load())
		all, copied := c.step(ctx, "PASSIVE")
		if copied < 0 {
			return false
		}
		c.stuck.Store(!all)
		pages := c.pages.Load()
		if pages < max(copied, c.restart) { // it has begun again, or need not yet
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

// step returns how many pages of the log are copied, and whether those are all.
// It returns a negative number when somebody else is at it, or the disk fails.
func (c *checkpoint) step(ctx context.Context, mode string) (all bool, copied int64) {
	var busy bool
	var log int64
	err := c.db.QueryRowContext(ctx, `PRAGMA wal_checkpoint(`+mode+`)`).Scan(&busy, &log, &copied)
	if err != nil || busy {
		return false, -1
	}
	return copied == log, copied
}
