package store

import (
	"context"
	"errors"
	"time"

	"portico/internal/account"
	"portico/internal/openid"
)

const grantColumns = `g.id, g.client_id, g.account_id, g.version, g.session_id, g.sid, g.scopes, g.redirect_uri, g.challenge, g.nonce, g.methods,
	g.signed_in_at, g.created_at, g.expires_at, g.redeemed_at, g.ended_at, g.rotated_at, g.generation, g.access_from, g.resources, g.proof_key, g.claims, g.may_tell, g.subject`

// InsertGrant implements openid.Store.
func (t *Tx) InsertGrant(ctx context.Context, g openid.Grant) error {
	return t.run(ctx, `INSERT INTO openid_grant (id, client_id, account_id, version, session_id, sid, scopes, redirect_uri, challenge, nonce, methods,
			signed_in_at, created_at, expires_at, redeemed_at, ended_at, rotated_at, generation, access_from, resources, proof_key, claims, may_tell, subject)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24)`,
		g.ID, g.ClientID, g.AccountID, g.Version, g.SessionID, g.SID, list(g.Scopes), g.RedirectURI, g.Challenge, g.Nonce, list(g.Methods),
		micros(g.SignedInAt), micros(g.CreatedAt), micros(g.ExpiresAt), micros(g.RedeemedAt), micros(g.EndedAt), micros(g.RotatedAt), g.Generation, g.AccessFrom, list(g.Resources), g.Key, list(g.Claims), truth(g.MayTell), g.Subject)
}

// TrimGrants implements openid.Store.
func (t *Tx) TrimGrants(ctx context.Context, g openid.Grant, each, all, most int) error {
	mayTell := int64(-1) // none
	if g.MayTell {
		mayTell = 1
	}
	return t.run(ctx, `DELETE FROM openid_grant WHERE id IN (SELECT id FROM (
		SELECT id, nth, its, ROW_NUMBER() OVER (PARTITION BY used, its ORDER BY nth, at DESC, id DESC) AS place, ROW_NUMBER() OVER (PARTITION BY used ORDER BY nth, at DESC, id DESC) AS of_any
		FROM (SELECT id, used, its, at, ROW_NUMBER() OVER (PARTITION BY session_id, client_id, used ORDER BY at DESC, id DESC) AS nth
			FROM (SELECT id, session_id, client_id, CASE WHEN redeemed_at > 0 THEN 1 ELSE 0 END AS used, CASE WHEN client_id = $2 OR may_tell = $3 THEN 1 ELSE 0 END AS its,
					CASE WHEN rotated_at > created_at THEN rotated_at ELSE created_at END AS at
				FROM openid_grant WHERE account_id = $1) ranged) ranged) looked WHERE its = 1 AND (nth > $4 OR place > $5) OR of_any > $6)`,
		g.AccountID, g.ClientID, mayTell, each, all, most)
}

// LiveGrant implements openid.Store.
func (t *Tx) LiveGrant(ctx context.Context, id string) (openid.Live, bool, error) {
	if hold := t.core.Locks.Grant; hold != "" {
		if _, _, err := first(ctx, t, hold, []any{id}, scanOne[string]); err != nil {
			return openid.Live{}, false, err
		}
	}
	return first(ctx, t, `SELECT `+grantColumns+`, a.address, a.name, a.roles, COALESCE(p.id, ''), COALESCE(s.last_seen_at, 0), COALESCE(s.expires_at, 0), a.ends_at, a.app_claims
		FROM openid_grant g JOIN account a ON a.id = g.account_id AND a.version = g.version
		LEFT JOIN portrait p ON p.account_id = a.id
		LEFT JOIN session s ON s.id = g.session_id AND s.account_id = g.account_id AND s.version = g.version
		WHERE g.id = $1 AND a.state = $2`, []any{id, string(account.Active)}, liveRow)
}

func liveRow(row scanner) (openid.Live, error) {
	var l openid.Live
	var scopes, methods, roles, resources, claims string
	var signedIn, created, expires, redeemed, ended, rotated, seen, ends, closes, mayTell int64
	g := &l.Grant
	err := row.Scan(&g.ID, &g.ClientID, &g.AccountID, &g.Version, &g.SessionID, &g.SID, &scopes, &g.RedirectURI, &g.Challenge, &g.Nonce, &methods,
		&signedIn, &created, &expires, &redeemed, &ended, &rotated, &g.Generation, &g.AccessFrom, &resources, &g.Key, &claims, &mayTell, &g.Subject,
		&l.User.Address, &l.User.Name, &roles, &l.User.Portrait, &seen, &ends, &closes, &l.User.Claims)
	if err != nil {
		return openid.Live{}, err
	}
	g.SignedInAt, g.CreatedAt, g.ExpiresAt = fromMicros(signedIn), fromMicros(created), fromMicros(expires)
	g.RedeemedAt, g.EndedAt, g.RotatedAt = fromMicros(redeemed), fromMicros(ended), fromMicros(rotated)
	g.MayTell = mayTell == 1
	l.User.ID, l.SessionSeen, l.SessionEnds, l.AccountEnds = g.AccountID, fromMicros(seen), fromMicros(ends), fromMicros(closes)
	var bad [5]error
	g.Scopes, bad[0] = unlist(scopes)
	g.Methods, bad[1] = unlist(methods)
	l.User.Roles, bad[2] = unlist(roles)
	g.Resources, bad[3] = unlist(resources)
	g.Claims, bad[4] = unlist(claims)
	return l, errors.Join(bad[:]...)
}

// RedeemGrant implements openid.Store.
func (t *Tx) RedeemGrant(ctx context.Context, id, key string, now, until time.Time) (bool, error) {
	return t.one(ctx, `UPDATE openid_grant SET redeemed_at = $2, expires_at = $3, proof_key = $4
		WHERE id = $1 AND redeemed_at = 0 AND ended_at = 0 AND expires_at > $2`, id, micros(now), micros(until), key)
}

// RotateGrant implements openid.Store.
func (t *Tx) RotateGrant(ctx context.Context, id string, generation int64, key string, now time.Time) (bool, error) {
	return t.one(ctx, `UPDATE openid_grant SET generation = generation + 1, rotated_at = $3, proof_key = $4
		WHERE id = $1 AND generation = $2 AND redeemed_at > 0 AND ended_at = 0 AND expires_at > $3`, id, generation, micros(now), key)
}

// EndGrant implements openid.Store.
func (t *Tx) EndGrant(ctx context.Context, id string, now time.Time) (bool, error) {
	return t.one(ctx, `UPDATE openid_grant SET ended_at = $2 WHERE id = $1 AND ended_at = 0`, id, micros(now))
}

// RevokeAccess implements openid.Store.
func (t *Tx) RevokeAccess(ctx context.Context, id string, generation int64) error {
	return t.run(ctx, `UPDATE openid_grant SET access_from = $2 WHERE id = $1 AND access_from < $2`, id, generation+1)
}

// MoveGrants implements openid.Store.
func (t *Tx) MoveGrants(ctx context.Context, from, to string, until time.Time) error {
	if _, err := t.exec(ctx, `UPDATE openid_grant SET session_id = $2, expires_at = CASE WHEN redeemed_at = 0 OR ended_at > 0 OR (`+outlives+` AND expires_at > $3) THEN expires_at ELSE $3 END
		WHERE session_id = $1`, from, to, micros(until)); err != nil {
		return err
	}
	return t.run(ctx, `UPDATE openid_watch SET session_id = $2 WHERE session_id = $1`, from, to)
}

// outlives says that a grant outlives its session.
const outlives = `redeemed_at > 0 AND scopes LIKE '%"offline_access"%'`

// EndGrantsOf implements openid.LogoutStore.
func (t *Tx) EndGrantsOf(ctx context.Context, accountID, sessionID string, offline bool, now time.Time) ([]openid.Ended, error) {
	spared := `ended_at > 0`
	if !offline {
		spared += ` OR (` + outlives + `)`
	}
	return t.endGrants(ctx, spared, `session_id = $3`, accountID, sessionID, now)
}

// EndGrantsBeside implements openid.LogoutStore.
func (t *Tx) EndGrantsBeside(ctx context.Context, accountID, keep string, now time.Time) ([]openid.Ended, error) {
	return t.endGrants(ctx, `ended_at > 0`,
		`session_id <> $3 AND (ended_at = 0 OR session_id IN (SELECT id FROM session WHERE account_id = $1))`, accountID, keep, now)
}

// OfflineSessions implements openid.LogoutStore.
func (t *Tx) OfflineSessions(ctx context.Context, accountID string, now time.Time) ([]string, error) {
	return collect(ctx, t, `SELECT DISTINCT g.session_id FROM openid_grant g JOIN account a ON a.id = g.account_id AND a.version = g.version
		WHERE g.account_id = $1 AND g.ended_at = 0 AND g.expires_at > $2 AND `+outlives, []any{accountID, micros(now)}, scanOne[string])
}

// endGrants updates every grant, so that it excludes a concurrent redemption.
func (t *Tx) endGrants(ctx context.Context, spared, which, accountID, id string, now time.Time) ([]openid.Ended, error) {
	return t.ended(ctx, `UPDATE openid_grant SET ended_at = CASE WHEN `+spared+` THEN ended_at ELSE $2 END
		WHERE account_id = $1 AND `+which+` RETURNING client_id, sid, subject, may_tell, redeemed_at`, accountID, micros(now), id)
}

// EndGrantsFor implements openid.ConsentStore.
func (t *Tx) EndGrantsFor(ctx context.Context, accountID, clientID string, now time.Time) ([]openid.Ended, error) {
	return t.ended(ctx, `UPDATE openid_grant SET ended_at = $2 WHERE account_id = $1 AND client_id = $3 AND ended_at = 0
		RETURNING client_id, sid, subject, may_tell, redeemed_at`, accountID, micros(now), clientID)
}

// ended returns what a statement has ended, without codes that were not redeemed.
func (t *Tx) ended(ctx context.Context, query string, args ...any) ([]openid.Ended, error) {
	type ended struct {
		openid.Ended
		mayTell, redeemed int64
	}
	all, err := collect(ctx, t, query, args,
		func(row scanner) (e ended, err error) {
			err = row.Scan(&e.ClientID, &e.SID, &e.Subject, &e.mayTell, &e.redeemed)
			return e, err
		})
	var redeemed []openid.Ended
	for _, e := range all {
		if e.MayTell = e.mayTell == 1; e.redeemed > 0 {
			redeemed = append(redeemed, e.Ended)
		}
	}
	return redeemed, err
}
