package postgres

import (
	"context"

	"portico/internal/store/engine"
)

// Facts implements engine.Engine.
func (p *DB) Facts(ctx context.Context) (engine.Facts, error) {
	f := engine.Facts{Engine: "PostgreSQL", Pool: int(p.pool.Config().MaxConns)}
	ask := func(query string, to ...any) error {
		_, _, err := engine.First(ctx, p.Read(), query, nil, func(row engine.Scanner) (any, error) { return nil, row.Scan(to...) })
		return err
	}
	used := false
	if err := ask(`SELECT current_setting('server_version'), to_regclass('`+engine.VersionTable+`') IS NOT NULL,
		to_regclass('`+engine.VersionTable+`') IS NULL AND to_regclass('goose_db_version') IS NOT NULL AND to_regclass('installation') IS NOT NULL`, &f.Version, &used, &f.Unreleased); err != nil {
		return f, err
	}
	// Databases that only speak the protocol of PostgreSQL may not count
	// connections.
	_ = ask(`SELECT current_setting('max_connections')::int, (SELECT coalesce(sum(numbackends), 0)::int FROM pg_stat_database)`, &f.MaxConnections, &f.Connections)
	if !used {
		return f, ask(`SELECT coalesce(min(n.nspname::text), '') FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
			WHERE c.relname = '`+engine.VersionTable+`' AND EXISTS (SELECT 1 FROM pg_class o WHERE o.relnamespace = n.oid AND o.relname = 'installation')`, &f.Elsewhere)
	}
	return f, ask(`SELECT coalesce(max(version_id), 0) FROM `+engine.VersionTable, &f.Schema)
}
