package engine

import (
	"sync/atomic"
	"time"

	"portico/internal/telemetry/tally"
)

// Stats are the figures of the database. The counts grow from the start of the
// process. PostgreSQL has no queue of writes, and its groups have one write.
type Stats struct {
	Pools  []Pool
	Queued int                           // writes that wait for their turn now
	Failed uint64                        // writes that could not be stored, for example on a full disk
	Commit tally.Snapshot[time.Duration] // of one COMMIT, until it is on the disk
	Group  tally.Snapshot[int]           // writes that shared one commit
}

// Pool is a set of connections.
type Pool struct {
	Name   string // "read", "write"; "all" when it serves both
	Max    int
	Open   int
	InUse  int
	Waits  uint64        // times that a caller waited for a connection
	Waited time.Duration // by all callers together
}

// Measures are what the writer of an engine counts.
type Measures struct {
	Commit *tally.Histogram[time.Duration]
	Group  *tally.Histogram[int]
	Failed *atomic.Uint64
}

// GroupLimit is how many writes may share one commit.
const GroupLimit = 128

// NewMeasures returns Measures that start at zero.
func NewMeasures() Measures {
	return Measures{
		Commit: tally.New(250*time.Microsecond, 500*time.Microsecond, time.Millisecond, 2500*time.Microsecond, 5*time.Millisecond,
			10*time.Millisecond, 25*time.Millisecond, 50*time.Millisecond, 100*time.Millisecond, 250*time.Millisecond, time.Second),
		Group:  tally.New(1, 2, 4, 8, 16, 32, 64, GroupLimit),
		Failed: new(atomic.Uint64),
	}
}

// Facts are what an operator asks first about a database.
type Facts struct {
	Engine  string // "SQLite" or "PostgreSQL"
	Version string // of the engine
	Schema  int64  // 0: no Portico has used the database
	Newest  int64  // the schema that this program needs

	Unreleased bool   // the database was made before 0.1.0
	Elsewhere  string // another schema of the same database that has a Portico, if this one has none

	// Only for a server; zero if it does not say.
	Connections    int // of all its clients, now
	MaxConnections int // that it allows in all
	Pool           int // that one node takes at most
}
