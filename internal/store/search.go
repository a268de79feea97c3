package store

import (
	"bytes"
	"context"
	"encoding/base64"
	"strconv"
	"strings"
	"unicode/utf8"

	"portico/internal/account"
)

// examined is how many rows of an index a page with further conditions looks at. It bounds
// the time of a page whose matches are rare.
const examined = 2000

// search is a page of a list. One index drives it, and the other conditions are checked on
// the rows that the index gives.
type search struct {
	args    []any
	index   index
	rest    []string
	next    string   // the cursor of the next page
	places  []string // the cursor after each row of the page
	partial bool     // the page ended at the bound
}

// index is a range of an index in its order. The cursor of a page is a place in it.
type index struct {
	name   string // in cursors, one letter
	from   string
	within string // the range, without the end at which it begins
	key    string // the column that sorts it; "" if it has one value in the range
	id     string
	start  any // before the first key
	desc   bool
}

func (s *search) arg(value any) string {
	s.args = append(s.args, value)
	return "$" + strconv.Itoa(len(s.args))
}

// drive makes an index that the query can use the one that drives it, if no better one does.
// It reports whether it did.
func (s *search) drive(x index) bool {
	if s.index.name != "" {
		return false
	}
	if x.from == "" {
		x.from, x.id = "person p", "p.account_id"
	}
	s.index = x
	return true
}

// narrow makes an index with a condition as its range the one that drives the query. If
// another one does, its rows are checked for the condition. It reports whether x drives.
func (s *search) narrow(x index, condition string) bool {
	x.within = condition
	drives := s.drive(x)
	if !drives {
		s.also(condition)
	}
	return drives
}

func (s *search) also(condition string) { s.rest = append(s.rest, condition) }

// look reads a page. joined has the rows of the list by looked.id, and columns are scanned
// for those that match.
func look[T any](ctx context.Context, t *Tx, s *search, columns, joined, after string, limit int, scan func(scanner) (T, error)) ([]T, error) {
	begin, ok := s.index.parse(after)
	if !ok {
		return nil, account.BadCursor
	}
	bound := limit + 1 // without other conditions each row counts
	if len(s.rest) > 0 {
		bound = max(bound, examined)
	}
	type found struct {
		item   T
		fits   int64
		number int64 // among the rows that were looked at
		place  place
	}
	rows, err := collect(ctx, t, s.text(columns, joined, begin, bound, limit+1), s.args, func(row scanner) (f found, err error) {
		f.item, err = scan(around{row, []any{&f.fits, &f.number, &f.place.key, &f.place.id}, nil})
		return f, err
	})
	var page []T
	for n, f := range rows {
		if len(page) == limit { // one row more: there is another page
			s.next = s.index.cursor(rows[n-1].place)
			break
		}
		if f.fits == 1 {
			page = append(page, f.item)
			s.places = append(s.places, s.index.cursor(f.place))
		}
		if f.number == int64(bound) {
			s.next, s.partial = s.index.cursor(f.place), len(page) < limit
		}
	}
	return page, err
}

// text returns the query of a page. It has the row at the bound even if that does not
// match, because the next page begins after it.
func (s *search) text(columns, joined string, begin place, bound, rows int) string {
	x, than, down := s.index, " > ", ""
	if x.desc {
		than, down = " < ", " DESC"
	}
	key, order, beyond := x.key, x.key+down+", ", ""
	if key == "" {
		key, order, beyond = "''", "", x.id+than+s.arg(begin.id)
	} else {
		beyond = "(" + x.key + ", " + x.id + ")" + than + "(" + s.arg(begin.key) + ", " + s.arg(begin.id) + ")"
	}
	order += x.id + down
	fits := "1"
	if len(s.rest) > 0 {
		fits = "CASE WHEN " + strings.Join(s.rest, " AND ") + " THEN 1 ELSE 0 END"
	}
	limit := s.arg(bound)
	return `SELECT looked.fits, looked.number, looked.place, looked.id, ` + columns + `
		FROM (SELECT ranged.*, ROW_NUMBER() OVER (ORDER BY ranged.place` + down + `, ranged.id` + down + `) AS number
			FROM (SELECT ` + x.id + ` AS id, ` + key + ` AS place, ` + fits + ` AS fits
				FROM ` + x.from + ` WHERE ` + x.within + ` AND ` + beyond + ` ORDER BY ` + order + ` LIMIT CAST(` + limit + ` AS BIGINT)) ranged) looked
		JOIN ` + joined + ` WHERE looked.fits = 1 OR looked.number = ` + limit + `
		ORDER BY looked.number LIMIT CAST(` + s.arg(rows) + ` AS BIGINT)`
}

// place is where a page ends in an index: the next page begins after the row with this key and id.
type place struct {
	key any
	id  string
}

// cursor returns the place of a row: the name of the index, the key and the id.
func (x index) cursor(row place) string {
	key := ""
	switch k := row.key.(type) {
	case int64:
		key = strconv.FormatInt(k, 10)
	case []byte:
		key = string(k)
	}
	return base64.RawURLEncoding.EncodeToString([]byte(x.name + row.id + "\x00" + key))
}

// parse returns the place of a cursor. It refuses one of another index, and one before the
// start of the range.
func (x index) parse(cursor string) (place, bool) {
	if cursor == "" {
		return place{key: x.start}, true
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	rest, ours := strings.CutPrefix(string(text), x.name)
	id, key, whole := strings.Cut(rest, "\x00")
	if err != nil || !ours || !whole || !utf8.ValidString(id) {
		return place{}, false
	}
	switch start := x.start.(type) {
	case int64:
		n, err := strconv.ParseInt(key, 10, 64)
		return place{n, id}, err == nil && (n >= start) != x.desc
	case []byte:
		return place{[]byte(key), id}, bytes.Compare([]byte(key), start) >= 0
	}
	return place{nil, id}, key == ""
}
