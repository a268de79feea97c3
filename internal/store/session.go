package store

import (
	"context"
	"time"

	"portico/internal/account"
	"portico/internal/ids"
	"portico/internal/session"
)

const sessionColumns = `s.id, s.account_id, s.version, s.methods, s.user_agent, s.peer, s.created_at, s.authenticated_at, s.strong_at, s.last_seen_at, s.expires_at`

// sessionRow scans the columns of a session, then those in more.
func sessionRow(row scanner, s *session.Session, more ...any) error {
	var methods string
	var created, authenticated, strong, seen, expires int64
	dest := append([]any{&s.ID, &s.AccountID, &s.Version, &methods, &s.UserAgent, &s.Peer, &created, &authenticated, &strong, &seen, &expires}, more...)
	if err := row.Scan(dest...); err != nil {
		return err
	}
	s.CreatedAt, s.AuthenticatedAt = fromMicros(created), fromMicros(authenticated)
	s.StrongAt, s.LastSeenAt, s.ExpiresAt = fromMicros(strong), fromMicros(seen), fromMicros(expires)
	var err error
	s.Methods, err = unlist(methods)
	return err
}

// InsertSession implements session.Store.
func (t *Tx) InsertSession(ctx context.Context, hash []byte, s session.Session) error {
	_, err := t.exec(ctx, `INSERT INTO session (id, token_hash, account_id, version, methods, user_agent, peer, created_at, authenticated_at, strong_at, last_seen_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		s.ID, hash, s.AccountID, s.Version, list(s.Methods), s.UserAgent, s.Peer,
		micros(s.CreatedAt), micros(s.AuthenticatedAt), micros(s.StrongAt), micros(s.LastSeenAt), micros(s.ExpiresAt))
	if err != nil {
		return err
	}
	return t.saw(ctx, s.ID, s.LastSeenAt)
}

// SessionByHash implements session.Store.
func (t *Tx) SessionByHash(ctx context.Context, hash []byte) (session.Found, bool, error) {
	return first(ctx, t, `SELECT `+sessionColumns+`, a.address, a.name, a.roles, a.ends_at, a.app_claims, COALESCE(p.id, '')
		FROM session s JOIN account a ON a.id = s.account_id AND a.version = s.version
		LEFT JOIN portrait p ON p.account_id = a.id
		WHERE s.token_hash = $1 AND a.state = $2`, []any{hash, string(account.Active)},
		func(row scanner) (session.Found, error) {
			var f session.Found
			var roles string
			var ends int64
			if err := sessionRow(row, &f.Session, &f.User.Address, &f.User.Name, &roles, &ends, &f.User.Claims, &f.User.Portrait); err != nil {
				return session.Found{}, err
			}
			f.User.ID, f.User.EndsAt = f.Session.AccountID, fromMicros(ends)
			var err error
			f.User.Roles, err = unlist(roles)
			return f, err
		})
}

// SessionsOf implements session.Store.
func (t *Tx) SessionsOf(ctx context.Context, accountID string, now time.Time) ([]session.Session, error) {
	return collect(ctx, t, `SELECT `+sessionColumns+`
		FROM session s JOIN account a ON a.id = s.account_id AND a.version = s.version
		WHERE s.account_id = $1 AND s.expires_at > $2 ORDER BY s.created_at DESC, s.id`, []any{accountID, micros(now)},
		func(row scanner) (session.Session, error) {
			var s session.Session
			err := sessionRow(row, &s)
			return s, err
		})
}

// SessionEnd implements session.Store.
func (t *Tx) SessionEnd(ctx context.Context, hash []byte) (session.Reason, bool, error) {
	return first(ctx, t, `SELECT reason FROM session_end WHERE token_hash = $1`, []any{hash}, scanOne[session.Reason])
}

// DeleteSession implements session.Store.
func (t *Tx) DeleteSession(ctx context.Context, accountID, id string, why session.Reason) (bool, error) {
	if why != "" {
		_, err := t.exec(ctx, `INSERT INTO session_end (token_hash, reason, expires_at)
			SELECT token_hash, $3, expires_at FROM session WHERE id = $1 AND account_id = $2
			ON CONFLICT (token_hash) DO NOTHING`, id, accountID, string(why))
		if err != nil {
			return false, err
		}
	}
	return t.one(ctx, `DELETE FROM session WHERE id = $1 AND account_id = $2`, id, accountID)
}

// DeleteSessions implements session.Store.
func (t *Tx) DeleteSessions(ctx context.Context, accountID, keep string, why session.Reason) (int64, error) {
	if why != "" {
		_, err := t.exec(ctx, `INSERT INTO session_end (token_hash, reason, expires_at)
			SELECT token_hash, $3, expires_at FROM session WHERE account_id = $1 AND id <> $2
			ON CONFLICT (token_hash) DO NOTHING`, accountID, keep, string(why))
		if err != nil {
			return 0, err
		}
	}
	return t.exec(ctx, `DELETE FROM session WHERE account_id = $1 AND id <> $2`, accountID, keep)
}

// InsertRevocation implements session.Store.
func (t *Tx) InsertRevocation(ctx context.Context, accountID string, at time.Time) error {
	return t.run(ctx, `INSERT INTO revocation (id, account_id, at) VALUES ($1, $2, $3)`, ids.New(), accountID, micros(at))
}

// Revocations implements session.Store.
func (t *Tx) Revocations(ctx context.Context) ([]session.Revocation, error) {
	return collect(ctx, t, `SELECT id, account_id FROM revocation`, nil,
		func(row scanner) (session.Revocation, error) {
			var r session.Revocation
			err := row.Scan(&r.ID, &r.AccountID)
			return r, err
		})
}

// DeleteRevocations implements session.Store.
func (t *Tx) DeleteRevocations(ctx context.Context, ids []string) error {
	return t.runAmong(ctx, `DELETE FROM revocation WHERE id IN (`, nil, ids)
}

// TouchSessions implements session.Store. Of several sessions of an account, the one that was used last tells
// when the account was.
func (t *Tx) TouchSessions(ctx context.Context, uses []session.Use) error {
	if err := t.touch(ctx, `UPDATE session SET last_seen_at = used.column2 FROM `, ` AS used WHERE session.id = used.column1 AND last_seen_at < used.column2`, uses); err != nil {
		return err
	}
	ids := make([]string, len(uses))
	for i, u := range uses {
		ids[i] = u.ID
	}
	return t.runAmong(ctx, `UPDATE person SET seen_at = s.last_seen_at FROM session s WHERE s.account_id = person.account_id AND person.seen_at <= s.last_seen_at - $1
		AND NOT EXISTS (SELECT 1 FROM session later WHERE later.account_id = s.account_id AND later.last_seen_at > s.last_seen_at)
		AND s.id IN (`, []any{seenEvery.Microseconds()}, ids)
}

// touch runs a statement with a table of uses between its parts. Both engines name the columns column1 and
// column2. The first row says their types.
func (t *Tx) touch(ctx context.Context, before, after string, uses []session.Use) error {
	for len(uses) > 0 {
		n := fitting(len(uses))
		var args []any
		for _, u := range uses[:n] {
			args = append(args, u.ID, micros(u.Seen))
		}
		if err := t.run(ctx, before+`(VALUES (CAST('' AS TEXT), CAST(0 AS BIGINT)), `+rowsOf(n, 2)+`)`+after, args...); err != nil {
			return err
		}
		uses = uses[n:]
	}
	return nil
}
