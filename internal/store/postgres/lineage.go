package postgres

import (
	"context"
	"strings"

	"portico/internal/store/engine"
)

// Lineage implements engine.Engine. Another server has another system identifier, and a
// dump makes the table with another OID. A recovery to a point in time begins another timeline, and so
// does a standby that is promoted.
//
// The name is "" for servers that only speak the protocol, and for those that hide these
// values.
func (p *DB) Lineage(ctx context.Context) (string, error) {
	name, _, err := engine.First(ctx, p.Read(), `SELECT (SELECT system_identifier FROM pg_control_system())::text
		|| '/' || 'installation'::regclass::oid::text || '/' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)`,
		nil, engine.One[string])
	switch code := sqlState(err); {
	case strings.HasPrefix(code, "42"), strings.HasPrefix(code, "0A"), strings.HasPrefix(code, "XX"):
		return "", nil // no such function, or not here, or not for this role
	}
	return name, err
}
