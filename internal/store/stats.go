package store

import (
	"database/sql"
	"sync/atomic"
	"time"

	"portico/internal/tally"
)

// Stats are the figures of the database. The counts grow from the start of the
// process. An engine without a queue of writes has none, and its group is
// always one.
type Stats struct {
	Pools  []Pool
	Queued int                           // writes that wait for their turn now
	Failed uint64                        // writes that could not be stored: the disk is full, say
	Commit tally.Snapshot[time.Duration] // of one COMMIT, until it is on the disk
	Group  tally.Snapshot[int]           // writes that shared one commit
}

// Pool is a set of connections.
type Pool struct {
	Name   string // "read", "write"; "all" when it serves both
	Max    int
	Open   int
	InUse  int
	Waits  uint64        // times that somebody waited for a connection
	Waited time.Duration // by all of them
}

// measures are what the writer counts by itself.
type measures struct {
	commit *tally.Histogram[time.Duration]
	group  *tally.Histogram[int]
	failed *atomic.Uint64
}

func newMeasures() measures {
	return measures{
		commit: tally.New(250*time.Microsecond, 500*time.Microsecond, time.Millisecond, 2500*time.Microsecond, 5*time.Millisecond,
			10*time.Millisecond, 25*time.Millisecond, 50*time.Millisecond, 100*time.Millisecond, 250*time.Millisecond, time.Second),
		group:  tally.New(1, 2, 4, 8, 16, 32, 64, groupLimit),
		failed: new(atomic.Uint64),
	}
}

// Stats returns the figures of the database.
func (s *Store) Stats() Stats { return s.engine.stats() }

func (s *sqlite) stats() Stats {
	return Stats{
		Pools:  []Pool{poolOf("read", s.reader), poolOf("write", s.writerDB)},
		Queued: len(s.jobs),
		Failed: s.measures.failed.Load(),
		Commit: s.measures.commit.Snapshot(),
		Group:  s.measures.group.Snapshot(),
	}
}

func (p *postgres) stats() Stats {
	s := p.pool.Stat()
	return Stats{
		Pools: []Pool{{
			Name: "all", Max: int(s.MaxConns()), Open: int(s.TotalConns()), InUse: int(s.AcquiredConns()),
			Waits: uint64(s.EmptyAcquireCount()), Waited: s.EmptyAcquireWaitTime(),
		}},
		Commit: p.measures.commit.Snapshot(),
		Group:  p.measures.group.Snapshot(),
	}
}

func poolOf(name string, db *sql.DB) Pool {
	s := db.Stats()
	return Pool{
		Name: name, Max: s.MaxOpenConnections, Open: s.OpenConnections, InUse: s.InUse,
		Waits: uint64(s.WaitCount), Waited: s.WaitDuration,
	}
}
