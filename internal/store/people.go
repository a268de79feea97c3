package store

import (
	"context"
	"strings"
	"time"

	"portico/internal/account"
)

// examined is how many rows of an index a page with further conditions looks at. It bounds
// the time of a page whose matches are rare.
const examined = 5000

// People implements account.PeopleStore.
func (t *Tx) People(ctx context.Context, q account.Query, now time.Time) (account.Page, error) {
	s := &search{}
	s.conditions(q, now)
	begin, ok := s.index.parse(q.After)
	if !ok {
		return account.Page{}, account.BadCursor
	}
	bound := q.Limit + 1 // without other conditions each row counts
	if len(s.rest) > 0 {
		bound = max(bound, examined)
	}
	found, err := collect(ctx, t, s.query(begin, bound, q.Limit+1), s.args, scanFound)
	if err != nil {
		return account.Page{}, err
	}
	return s.page(found, q.Limit, int64(bound)), nil
}

// query has the row at the bound even if it does not match: it says where the search ended.
func (s *search) query(begin place, bound, rows int) string {
	x, than, down := s.index, " > ", ""
	if x.desc {
		than, down = " < ", " DESC"
	}
	key, order, where := x.key, x.key+down+", ", ""
	if key == "" {
		key, order, where = "''", "", x.id+than+s.arg(begin.id)
	} else {
		where = "(" + x.key + ", " + x.id + ")" + than + "(" + s.arg(begin.key) + ", " + s.arg(begin.id) + ")"
	}
	order += x.id + down
	fits := "1"
	if len(s.rest) > 0 {
		fits = "CASE WHEN " + strings.Join(s.rest, " AND ") + " THEN 1 ELSE 0 END"
	}
	limit := s.arg(bound)
	return `SELECT looked.fits, looked.number, looked.place, looked.seen_at, a.` + strings.ReplaceAll(accountColumns, ", ", ", a.") + `,
		(SELECT COUNT(*) FROM factor f WHERE f.account_id = a.id), (SELECT COUNT(*) FROM passkey k WHERE k.account_id = a.id),
		(SELECT COUNT(*) FROM recovery_code c WHERE c.account_id = a.id)
		FROM (SELECT ranged.*, ROW_NUMBER() OVER (ORDER BY ranged.place` + down + `, ranged.account_id` + down + `) AS number
			FROM (SELECT p.account_id, p.seen_at, ` + key + ` AS place, ` + fits + ` AS fits
				FROM ` + x.from + ` WHERE ` + x.where + ` AND ` + where + ` ORDER BY ` + order + ` LIMIT CAST(` + limit + ` AS BIGINT)) ranged) looked
		JOIN account a ON a.id = looked.account_id WHERE looked.fits = 1 OR looked.number = ` + limit + `
		ORDER BY looked.number LIMIT CAST(` + s.arg(rows) + ` AS BIGINT)`
}

// found is a row of the result.
type found struct {
	account.Person
	fits   bool
	number int64 // among the rows that the search has looked at
	place  any   // its key in the index
}

func scanFound(row scanner) (found, error) {
	var f found
	var fits, seen int64
	a, err := scanAccount(around{row, []any{&fits, &f.number, &f.place, &seen}, []any{&f.Apps, &f.Passkeys, &f.RecoveryCodes}})
	f.Account, f.fits, f.SeenAt = a, fits == 1, fromMicros(seen)
	return f, err
}

// around scans other columns before and after those of an account.
type around struct {
	scanner
	before, after []any
}

func (a around) Scan(dest ...any) error {
	return a.scanner.Scan(append(append(a.before, dest...), a.after...)...)
}

// page cuts the rows to the limit. One row more, or the row at the bound, says that there
// may be another page.
func (s *search) page(all []found, limit int, bound int64) (p account.Page) {
	for n, f := range all {
		if len(p.People) == limit {
			p.Next = s.index.cursor(all[n-1])
			return p
		}
		if f.fits {
			p.People = append(p.People, f.Person)
		}
		if f.number == bound {
			p.Next, p.Partial = s.index.cursor(f), len(p.People) < limit
		}
	}
	return p
}
