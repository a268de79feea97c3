package store

import (
	"context"
	"time"

	"portico/internal/account"
	"portico/internal/apikey"
	"portico/internal/session"
)

const tokenColumns = `p.id, p.account_id, p.version, p.name, p.app, p.roles, p.created_at, p.ends_at, p.used_at`

// tokenRow scans the columns of a token, then those in more.
func tokenRow(row scanner, more ...any) (p apikey.Personal, err error) {
	var roles string
	var created, ends, used int64
	if err := row.Scan(append([]any{&p.ID, &p.AccountID, &p.Version, &p.Name, &p.App, &roles, &created, &ends, &used}, more...)...); err != nil {
		return p, err
	}
	p.CreatedAt, p.EndsAt, p.UsedAt = fromMicros(created), fromMicros(ends), fromMicros(used)
	p.Roles, err = unlist(roles)
	return p, err
}

func tokenOf(row scanner) (apikey.Personal, error) { return tokenRow(row) }

// InsertPersonal implements apikey.PersonalStore.
func (t *Tx) InsertPersonal(ctx context.Context, hash []byte, p apikey.Personal) error {
	return t.run(ctx, `INSERT INTO personal_token (id, hash, account_id, version, name, app, roles, created_at, ends_at, used_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		p.ID, hash, p.AccountID, p.Version, p.Name, p.App, list(p.Roles), micros(p.CreatedAt), micros(p.EndsAt), micros(p.UsedAt))
}

// PersonalByHash implements apikey.PersonalStore.
func (t *Tx) PersonalByHash(ctx context.Context, hash []byte) (apikey.Personal, bool, error) {
	return first(ctx, t, `SELECT `+tokenColumns+` FROM personal_token p WHERE p.hash = $1`, []any{hash}, tokenOf)
}

// PersonalsOf implements apikey.PersonalStore.
func (t *Tx) PersonalsOf(ctx context.Context, accountID string, now time.Time) ([]apikey.Personal, error) {
	return collect(ctx, t, `SELECT `+tokenColumns+` FROM personal_token p JOIN account a ON a.id = p.account_id AND a.version = p.version
		WHERE p.account_id = $1 AND p.ends_at > $2 ORDER BY p.id DESC`, []any{accountID, micros(now)}, tokenOf)
}

// EndPersonal implements apikey.PersonalStore.
func (t *Tx) EndPersonal(ctx context.Context, accountID, id string, now time.Time) error {
	return t.run(ctx, `UPDATE personal_token SET ends_at = $3 WHERE account_id = $1 AND (id = $2 OR $2 = '') AND ends_at > $3`, accountID, id, micros(now))
}

// TokenByHash implements session.Store.
func (t *Tx) TokenByHash(ctx context.Context, hash []byte) (session.Found, bool, error) {
	return first(ctx, t, `SELECT `+tokenColumns+`, a.address, a.name, a.roles, a.ends_at, a.app_claims
		FROM personal_token p JOIN account a ON a.id = p.account_id AND a.version = p.version
		WHERE p.hash = $1 AND a.state = $2`, []any{hash, string(account.Active)},
		func(row scanner) (f session.Found, err error) {
			var roles string
			var ends int64
			p, err := tokenRow(row, &f.User.Address, &f.User.Name, &roles, &ends, &f.User.Claims)
			if err != nil {
				return f, err
			}
			f.Session = session.Session{
				ID: session.TokenID(p.ID), AccountID: p.AccountID, Version: p.Version, Methods: []string{session.ByToken}, App: p.App,
				CreatedAt: p.CreatedAt, LastSeenAt: p.UsedAt, ExpiresAt: p.EndsAt,
			}
			f.User.ID, f.User.EndsAt = p.AccountID, fromMicros(ends)
			held, err := unlist(roles)
			f.User.Roles = session.Narrowed(held, p.Roles)
			return f, err
		})
}

// TouchTokens implements session.Store.
func (t *Tx) TouchTokens(ctx context.Context, uses []session.Use) error {
	return t.touch(ctx, `UPDATE personal_token SET used_at = used.column2 FROM `, ` AS used WHERE personal_token.id = used.column1 AND used_at < used.column2`, uses)
}
