package store

import (
	"context"
	"strconv"
	"strings"

	"portico/internal/audit"
)

// FactsOf implements audit.Store.
func (t *Tx) FactsOf(ctx context.Context, accountID, before string, limit int, names ...audit.Name) ([]audit.Fact, error) {
	where, args := "", []any{accountID, limit}
	if before != "" { // with an OR in its place, the index would begin at the newest record
		where, args = `AND (at, id) < (SELECT at, id FROM audit WHERE id = $3 AND account_id = $1)`, append(args, before)
	}
	if len(names) > 0 {
		var places []string
		for _, name := range names {
			args = append(args, string(name))
			places = append(places, "$"+strconv.Itoa(len(args)))
		}
		where += ` AND name IN (` + strings.Join(places, ", ") + `)`
	}
	return collect(ctx, t, `SELECT id, at, name, account_id, actor, peer, user_agent, request_id, detail
		FROM audit WHERE account_id = $1 `+where+` ORDER BY at DESC, id DESC LIMIT CAST($2 AS BIGINT)`, args,
		func(row scanner) (audit.Fact, error) {
			var f audit.Fact
			var at int64
			err := row.Scan(&f.ID, &at, &f.Name, &f.AccountID, &f.Actor, &f.Peer, &f.UserAgent, &f.RequestID, &f.Detail)
			f.At = fromMicros(at)
			return f, err
		})
}

// InsertFact implements audit.Store.
func (t *Tx) InsertFact(ctx context.Context, f audit.Fact) error {
	_, err := t.exec(ctx, `INSERT INTO audit (id, at, name, account_id, actor, peer, user_agent, request_id, detail)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		f.ID, micros(f.At), string(f.Name), f.AccountID, f.Actor, f.Peer, f.UserAgent, f.RequestID, f.Detail)
	return err
}
