package archive

import (
	"context"
	"database/sql"
	"encoding/base32"
	"encoding/json"
	"time"

	"portico/internal/account"
	"portico/internal/masterkey"
	"portico/internal/people"
	"portico/internal/secret"
	"portico/internal/store"
)

// pageOf is how many people are in memory.
const pageOf = 500

// People calls write with everybody as they are now, in one state of a database that may be served meanwhile.
func People(ctx context.Context, s *store.Store, key *secret.Key, now time.Time, report func(done, all int64), write func(people.Exported) error) error {
	return s.Snapshot(ctx, func(conn *sql.Conn) error {
		r := &reader{conn: conn, box: key.Box(string(masterkey.Factors)), now: now}
		var done, all int64
		if err := conn.QueryRowContext(ctx, `SELECT COUNT(*) FROM account`).Scan(&all); err != nil {
			return err
		}
		for after := ""; ; {
			page, err := r.page(ctx, after)
			if err != nil || len(page) == 0 {
				return err
			}
			for _, p := range page {
				if err := write(*p); err != nil {
					return err
				}
			}
			done += int64(len(page))
			report(done, all)
			after = page[len(page)-1].ID
		}
	})
}

// reader reads a page of people.
type reader struct {
	conn *sql.Conn
	box  *secret.Box
	now  time.Time
	byID map[string]*people.Exported
}

func (r *reader) page(ctx context.Context, after string) (page []*people.Exported, err error) {
	r.byID = map[string]*people.Exported{}
	err = r.each(ctx, `SELECT a.id, a.address, a.name, a.locale, a.state, a.roles, a.password, a.app_claims, a.created_at, a.ends_at, COALESCE(p.seen_at, 0), CASE WHEN u.account_id IS NULL THEN 1 ELSE 0 END
		FROM account a LEFT JOIN person p ON p.account_id = a.id LEFT JOIN unproven_address u ON u.account_id = a.id
		WHERE a.id > $1 ORDER BY a.id LIMIT CAST($2 AS BIGINT)`, []any{after, pageOf}, func(rows *sql.Rows) error {
		p := &people.Exported{}
		var roles, claims string
		var created, ends, seen int64
		err := rows.Scan(&p.ID, &p.Email, &p.Name, &p.Locale, &p.State, &roles, &p.Password, &claims, &created, &ends, &seen, &p.EmailVerified)
		if err == nil {
			err = json.Unmarshal([]byte(roles), &p.Roles)
		}
		if claims != "" {
			p.Claims = json.RawMessage(claims)
		}
		p.CreatedAt, p.EndsAt, p.SeenAt = time.UnixMicro(created).UTC(), at(ends), at(seen)
		if (account.Account{EndsAt: p.EndsAt}).Ended(r.now) {
			p.State = string(account.DisabledByOperator) // no server has closed it yet
		}
		page, r.byID[p.ID] = append(page, p), p
		return err
	})
	if err != nil || len(page) == 0 {
		return nil, err
	}
	return page, r.parts(ctx, after, page[len(page)-1].ID)
}

// parts adds what other tables have of the people of a page. Addresses that are kept only for an
// alarm are left out.
func (r *reader) parts(ctx context.Context, after, last string) error {
	var id, one, two, three string
	for _, part := range []struct {
		query string
		into  []any
		add   func(p *people.Exported)
	}{
		{`SELECT account_id, issuer, subject, provider FROM identity`, []any{&id, &one, &two, &three}, func(p *people.Exported) {
			p.Identities, p.Providers = append(p.Identities, people.Identity{Issuer: one, Subject: two}), append(p.Providers, three)
		}},
		{`SELECT account_id, issuer, subject FROM imported_subject`, []any{&id, &one, &two}, func(p *people.Exported) {
			p.Subject = &people.Subject{Issuer: one, Value: two}
		}},
		{`SELECT account_id, address, kind FROM other_address`, []any{&id, &one, &two}, func(p *people.Exported) {
			if two == "recovery" || two == "other" {
				p.Addresses = append(p.Addresses, people.Address{Email: one, Kind: two, Verified: true})
			}
		}},
		{`SELECT account_id, host FROM passkey`, []any{&id, &one}, func(p *people.Exported) {
			p.Passkeys = append(p.Passkeys, people.Passkey{RPID: one})
		}},
		{`SELECT account_id, hash FROM recovery_code`, []any{&id, &one}, func(p *people.Exported) {
			p.RecoveryCodes = append(p.RecoveryCodes, one)
		}},
	} {
		err := r.each(ctx, part.query+ofPage, []any{after, last}, func(rows *sql.Rows) error {
			err := rows.Scan(part.into...)
			if err == nil {
				part.add(r.byID[id])
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return r.each(ctx, `SELECT account_id, id, sealed, digits, period, algorithm, created_at FROM factor`+ofPage, []any{after, last}, r.app)
}

const ofPage = ` WHERE account_id > $1 AND account_id <= $2`

func (r *reader) each(ctx context.Context, query string, args []any, do func(*sql.Rows) error) error {
	rows, err := r.conn.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := do(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (r *reader) app(rows *sql.Rows) error {
	var account, id string
	var sealed []byte
	var created int64
	var t people.TOTP
	if err := rows.Scan(&account, &id, &sealed, &t.Digits, &t.Period, &t.Algorithm, &created); err != nil {
		return err
	}
	p := r.byID[account]
	clear, err := r.box.Open(sealed, id+" "+account)
	if err != nil { // nobody can use it
		p.Unopened = true
		return nil
	}
	t.Secret, t.CreatedAt = base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(clear), time.UnixMicro(created).UTC()
	p.TOTP = append(p.TOTP, t)
	return nil
}

// at returns a time that may be missing.
func at(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}
