package store

import (
	"context"

	"portico/internal/audit"
)

// InsertFact implements audit.Store.
func (t *Tx) InsertFact(ctx context.Context, f audit.Fact) error {
	_, err := t.exec(ctx, `INSERT INTO audit (id, at, name, account_id, actor, peer, browser, request_id, detail)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		f.ID, micros(f.At), string(f.Name), f.AccountID, f.Actor, f.Peer, f.UserAgent, f.RequestID, f.Detail)
	return err
}
