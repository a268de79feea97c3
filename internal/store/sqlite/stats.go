package sqlite

import (
	"database/sql"

	"portico/internal/store/engine"
)

// Stats implements engine.Engine.
func (s *DB) Stats() engine.Stats {
	return engine.Stats{
		Pools:  []engine.Pool{poolOf("read", s.reader), poolOf("write", s.writerDB)},
		Queued: len(s.jobs),
		Failed: s.measures.Failed.Load(),
		Commit: s.measures.Commit.Snapshot(),
		Group:  s.measures.Group.Snapshot(),
	}
}

func poolOf(name string, db *sql.DB) engine.Pool {
	s := db.Stats()
	return engine.Pool{
		Name: name, Max: s.MaxOpenConnections, Open: s.OpenConnections, InUse: s.InUse,
		Waits: uint64(s.WaitCount), Waited: s.WaitDuration,
	}
}
