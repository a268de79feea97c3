package store

import "context"

// Lineage returns a name that only this copy of the database has, and no restored one, or
// "" if the engine cannot tell copies apart.
func (s *Store) Lineage(ctx context.Context) (string, error) { return s.engine.Lineage(ctx) }

// Lineage returns the name that KeepLineage has stored, or "".
func (t *Tx) Lineage(ctx context.Context) (string, error) {
	return only(ctx, t, `SELECT lineage FROM installation WHERE id = 1`, nil, scanOne[string])
}

// KeepLineage stores the name of the copy that is served from now on. It comes after
// KeepKeyCheck, which makes the row.
func (t *Tx) KeepLineage(ctx context.Context, name string) error {
	return t.run(ctx, `UPDATE installation SET lineage = $1 WHERE id = 1`, name)
}
