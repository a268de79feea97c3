package store

import (
	"bytes"
	"context"
	"time"

	"portico/internal/account"
	"portico/internal/clock"
)

// seenEvery is how exact person.seen_at is. Without it, each batch of last uses would write
// a row and its index for each session.
const seenEvery = time.Hour

// personRow is a row of the table person.
type personRow struct {
	id, state, roles         string
	address, name            []byte
	factors, seen, createdAt int64
}

// The values of person.factors, in the order of its index.
const (
	noFactor    int64 = 0
	appOnly     int64 = 1
	passkeyOnly int64 = 2
	bothFactors int64 = appOnly | passkeyOnly
)

// compared is what a row is, if there is one, and what it must be.
type compared struct {
	want personRow
	has  *personRow
}

// compareText reads accounts with their rows of person.
const compareText = `SELECT a.id, a.address_key, a.name, a.state, a.roles, a.created_at,
	(SELECT COUNT(*) FROM factor f WHERE f.account_id = a.id), (SELECT COUNT(*) FROM passkey k WHERE k.account_id = a.id),
	COALESCE((SELECT MAX(s.last_seen_at) FROM session s WHERE s.account_id = a.id), 0),
	COALESCE(p.account_id, ''), p.address_key, p.name_key, COALESCE(p.state, ''), COALESCE(p.roles, ''),
	COALESCE(p.factors, 0), COALESCE(p.seen_at, 0), COALESCE(p.created_at, 0)
	FROM account a LEFT JOIN person p ON p.account_id = a.id `

func scanCompared(row scanner) (compared, error) {
	var c compared
	var key, name string
	var apps, passkeys int64
	has := personRow{}
	err := row.Scan(&c.want.id, &key, &name, &c.want.state, &c.want.roles, &c.want.createdAt, &apps, &passkeys, &c.want.seen,
		&has.id, &has.address, &has.name, &has.state, &has.roles, &has.factors, &has.seen, &has.createdAt)
	c.want.address, c.want.name = []byte(key), []byte(account.NameKey(name))
	if apps > 0 {
		c.want.factors |= appOnly
	}
	if passkeys > 0 {
		c.want.factors |= passkeyOnly
	}
	if has.id != "" {
		c.has = &has
	}
	return c, err
}

// same reports whether the row is what it must be.
func (c compared) same() bool {
	w, h := c.want, c.has
	return h != nil && bytes.Equal(w.address, h.address) && bytes.Equal(w.name, h.name) && w.state == h.state && w.roles == h.roles &&
		w.factors == h.factors && w.createdAt == h.createdAt && w.seen-h.seen < seenEvery.Microseconds()
}

// IndexPeople implements account.PeopleStore.
func (t *Tx) IndexPeople(ctx context.Context, after string, limit int) (last string, err error) {
	all, err := collect(ctx, t, compareText+`WHERE a.id > $1 ORDER BY a.id LIMIT CAST($2 AS BIGINT)`, []any{after, limit}, scanCompared)
	if err != nil {
		return "", err
	}
	if len(all) == limit {
		last = all[limit-1].want.id
	}
	return last, t.index(ctx, all)
}

// IndexFirst compares accounts with what the list of people is searched by, until all are
// compared or it has taken as long as it may. It compares at least some.
func (s *Store) IndexFirst(ctx context.Context, most time.Duration) error {
	for began, last := clock.Here(), ""; ; {
		next := ""
		err := s.Write(ctx, func(tx *Tx) (err error) {
			next, err = tx.IndexPeople(ctx, last, account.MostPeople)
			return err
		})
		if last = next; err != nil || last == "" || began.Age() > most {
			return err
		}
	}
}

// reindex makes the row of person of an account, after a change of the account.
func (t *Tx) reindex(ctx context.Context, accountID string) error {
	all, err := collect(ctx, t, compareText+`WHERE a.id = $1`, []any{accountID}, scanCompared)
	if err != nil {
		return err
	}
	return t.index(ctx, all)
}

// changePerson runs a statement about one account. If that has changed a row, it renews what lists of people show and search,
// and reports true.
func (t *Tx) changePerson(ctx context.Context, accountID, query string, args ...any) (bool, error) {
	if n, err := t.exec(ctx, query, args...); err != nil || n == 0 {
		return false, err
	}
	return true, t.reindex(ctx, accountID)
}

func (t *Tx) index(ctx context.Context, all []compared) error {
	var rows, roles []personRow
	for _, c := range all {
		if c.same() {
			continue
		}
		rows = append(rows, c.want)
		if c.has == nil && c.want.roles != "[]" || c.has != nil && c.has.roles != c.want.roles {
			roles = append(roles, c.want)
		}
	}
	if err := t.indexRoles(ctx, roles); err != nil {
		return err
	}
	for len(rows) > 0 {
		n := fitting(len(rows))
		if err := t.writePeople(ctx, rows[:n]); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

func (t *Tx) writePeople(ctx context.Context, rows []personRow) error {
	var args []any
	for _, p := range rows {
		args = append(args, p.id, p.address, p.name, p.state, p.roles, p.factors, p.seen, p.createdAt)
	}
	return t.run(ctx, `INSERT INTO person (account_id, address_key, name_key, state, roles, factors, seen_at, created_at)
		VALUES `+rowsOf(len(rows), len(args)/len(rows))+`
		ON CONFLICT (account_id) DO UPDATE SET address_key = excluded.address_key, name_key = excluded.name_key, state = excluded.state,
		roles = excluded.roles, factors = excluded.factors, created_at = excluded.created_at,
		seen_at = CASE WHEN person.seen_at > excluded.seen_at THEN person.seen_at ELSE excluded.seen_at END`, args...)
}

func (t *Tx) indexRoles(ctx context.Context, people []personRow) error {
	var ids []string
	all := rows{table: "account_role", columns: "account_id, role", after: ` ON CONFLICT (account_id, role) DO NOTHING`}
	for _, p := range people {
		roles, err := unlist(p.roles)
		if err != nil {
			return err
		}
		ids = append(ids, p.id)
		for _, role := range roles {
			all.add(p.id, role)
		}
	}
	if err := t.runAmong(ctx, `DELETE FROM account_role WHERE account_id IN (`, nil, ids); err != nil {
		return err
	}
	return t.insert(ctx, all)
}

// saw stores that the account of a session was in use.
func (t *Tx) saw(ctx context.Context, sessionID string, at time.Time) error {
	return t.run(ctx, `UPDATE person SET seen_at = $2 WHERE account_id = (SELECT account_id FROM session WHERE id = $1) AND seen_at <= $3`,
		sessionID, micros(at), micros(at.Add(-seenEvery)))
}
