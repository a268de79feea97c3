package store

import "context"

// LeaseHolder implements cluster.LeaseStore.
func (t *Tx) LeaseHolder(ctx context.Context, name string) (owner string, beat int64, err error) {
	type holder struct {
		owner string
		beat  int64
	}
	h, _, err := first(ctx, t, `SELECT owner, beat FROM lease WHERE name = $1`, []any{name},
		func(row scanner) (h holder, err error) {
			err = row.Scan(&h.owner, &h.beat)
			return h, err
		})
	return h.owner, h.beat, err
}

// TakeLease implements cluster.LeaseStore.
func (t *Tx) TakeLease(ctx context.Context, name, owner string, beat int64) (bool, error) {
	return t.one(ctx, `INSERT INTO lease (name, owner, beat) VALUES ($1, $2, $4)
		ON CONFLICT (name) DO UPDATE SET owner = $2, beat = lease.beat + 1 WHERE lease.beat = $3 OR lease.owner = $2`, name, owner, beat, beat+1)
}
