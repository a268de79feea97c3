package store

import (
	"bytes"
	"encoding/base64"
	"math"
	"strconv"
	"strings"
	"time"

	"portico/internal/account"
)

// search is a list of people in the making. One index drives it, and the other conditions
// are checked on the rows that the index gives.
type search struct {
	args  []any
	index index
	rest  []string
}

// index is a range of an index in its order. The cursor of a page is a place in it.
type index struct {
	letter string // its name in cursors
	from   string
	where  string // the range, without the end at which it begins
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
	if s.index.letter != "" {
		return false
	}
	if x.from == "" {
		x.from, x.id = "person p", "p.account_id"
	}
	s.index = x
	return true
}

func (s *search) also(condition string) { s.rest = append(s.rest, condition) }

// conditions chooses the index: the one that likely has the fewest rows comes first.
func (s *search) conditions(q account.Query, now time.Time) {
	const selective = 3 // bytes: a shorter prefix has more people than most roles
	if q.By == account.ByAddress {
		s.byAddress(q.Text, now)
	}
	if len(q.Text) >= selective {
		s.byPrefix(q)
	}
	if q.Role != "" {
		s.byRole(q.Role)
	}
	if q.State != "" {
		s.byState(q.State)
	}
	if 0 < len(q.Text) && len(q.Text) < selective {
		s.byPrefix(q)
	}
	if !q.SeenBefore.IsZero() {
		s.bySeen(micros(q.SeenBefore))
	}
	if q.Factors != "" {
		s.byFactors(q.Factors)
	}
	s.byCreated(q.CreatedFrom, q.CreatedTo)
}

func (s *search) byAddress(key string, now time.Time) {
	s.drive(index{letter: "w", where: `p.account_id IN (SELECT id FROM account WHERE address_key = ` + s.arg(key) + `
		UNION SELECT account_id FROM other_address WHERE address_key = ` + s.arg(key) + ` AND expires_at > ` + s.arg(micros(now)) + `)`})
}

func (s *search) byPrefix(q account.Query) {
	column, letter := "p.address_key", "a"
	switch q.By {
	case account.ByAddress:
		return
	case account.ByNamePrefix:
		column, letter = "p.name_key", "n"
	}
	first := []byte(q.Text)
	end := bytes.Clone(first)
	end[len(end)-1]++ // UTF-8 has no byte 0xff
	below := column + " < " + s.arg(end)
	if !s.drive(index{letter: letter, key: column, start: first, where: below}) {
		s.also(column + " >= " + s.arg(first) + " AND " + below)
	}
}

func (s *search) byRole(role string) {
	x := index{letter: "r", from: "account_role r JOIN person p ON p.account_id = r.account_id", id: "r.account_id"}
	if s.index.letter == "" {
		x.where = "r.role = " + s.arg(role)
		s.drive(x)
		return
	}
	s.also("EXISTS (SELECT 1 FROM account_role r WHERE r.account_id = p.account_id AND r.role = " + s.arg(role) + ")")
}

func (s *search) byState(state account.State) {
	is := "p.state = " + s.arg(string(state))
	if state == account.Active || !s.drive(index{letter: "s", where: is + " AND p.state <> 'active'"}) {
		s.also(is)
	}
}

func (s *search) bySeen(before int64) {
	is := "p.seen_at < " + s.arg(before)
	if !s.drive(index{letter: "l", key: "p.seen_at", start: int64(-1), where: is}) {
		s.also(is)
	}
}

func (s *search) byFactors(f account.Factors) {
	first, end := int64(1), int64(4) // the values of person.factors
	switch f {
	case account.NoFactor:
		first, end = 0, 1
	case account.HasPasskey:
		first = 2
	}
	below := "p.factors < " + s.arg(end)
	if !s.drive(index{letter: "f", key: "p.factors", start: first, where: below}) {
		s.also("p.factors >= " + s.arg(first) + " AND " + below)
	}
	if f == account.HasApp {
		s.also("p.factors <> 2")
	}
}

func (s *search) byCreated(from, to time.Time) {
	end := int64(math.MaxInt64)
	if !to.IsZero() {
		end = micros(to)
	}
	since := "p.created_at >= " + s.arg(micros(from))
	switch {
	case s.drive(index{letter: "c", key: "p.created_at", start: end, where: since, desc: true}):
	case from.IsZero() && to.IsZero():
		s.args = s.args[:len(s.args)-1] // of since
	default:
		s.also(since + " AND p.created_at < " + s.arg(end))
	}
}

// place is where a page begins: after the row with this key and id.
type place struct {
	key any
	id  string
}

// cursor returns the place of a row: the letter of the index, the key and the id.
func (x index) cursor(f found) string {
	key := ""
	switch k := f.place.(type) {
	case int64:
		key = strconv.FormatInt(k, 10)
	case []byte:
		key = string(k)
	}
	return base64.RawURLEncoding.EncodeToString([]byte(x.letter + f.ID + "\x00" + key))
}

// parse returns the place of a cursor. It refuses one of another index, and one before the
// start of the range.
func (x index) parse(cursor string) (place, bool) {
	if cursor == "" {
		return place{key: x.start}, true
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	rest, ours := strings.CutPrefix(string(text), x.letter)
	id, key, whole := strings.Cut(rest, "\x00")
	if err != nil || !ours || !whole {
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
