package postgres

import "portico/internal/store/engine"

// Stats implements engine.Engine.
func (p *DB) Stats() engine.Stats {
	s := p.pool.Stat()
	return engine.Stats{
		Pools: []engine.Pool{{
			Name: "all", Max: int(s.MaxConns()), Open: int(s.TotalConns()), InUse: int(s.AcquiredConns()),
			Waits: uint64(s.EmptyAcquireCount()), Waited: s.EmptyAcquireWaitTime(),
		}},
		Commit: p.measures.Commit.Snapshot(),
		Group:  p.measures.Group.Snapshot(),
	}
}
