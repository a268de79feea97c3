package store

import (
	"bytes"
	"context"
	"math"
	"strings"
	"time"

	"portico/internal/account"
)

var personColumns = `q.seen_at, a.` + strings.ReplaceAll(accountColumns, ", ", ", a.") + `,
	(SELECT COUNT(*) FROM factor f WHERE f.account_id = a.id), (SELECT COUNT(*) FROM passkey k WHERE k.account_id = a.id),
	(SELECT COUNT(*) FROM recovery_code c WHERE c.account_id = a.id),
	COALESCE((SELECT d.erase_at FROM departure d WHERE d.account_id = a.id), 0)`

// People implements account.PeopleStore.
func (t *Tx) People(ctx context.Context, q account.Query, now time.Time) (account.Page, error) {
	s := &search{}
	s.people(q, now)
	all, err := look(ctx, t, s, personColumns, "person q ON q.account_id = looked.id JOIN account a ON a.id = q.account_id", q.After, q.Limit, scanPerson)
	return account.Page{People: all, Next: s.next, Partial: s.partial, Places: s.places}, err
}

func scanPerson(row scanner) (account.Person, error) {
	var p account.Person
	var seen, erase int64
	a, err := scanAccount(around{row, []any{&seen}, []any{&p.Apps, &p.Passkeys, &p.RecoveryCodes, &erase}})
	p.Account, p.SeenAt, p.EraseAt = a, fromMicros(seen), fromMicros(erase)
	return p, err
}

// around scans other columns before and after those that it is given.
type around struct {
	scanner
	before, after []any
}

// Scan implements scanner.
func (a around) Scan(dest ...any) error {
	return a.scanner.Scan(append(append(a.before, dest...), a.after...)...)
}

// people chooses the index of a list of people: the one that likely has the fewest rows
// comes first.
func (s *search) people(q account.Query, now time.Time) {
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
	s.drive(index{letter: "w", within: `p.account_id IN (SELECT id FROM account WHERE address_key = ` + s.arg(key) + `
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
	if !s.drive(index{letter: letter, key: column, start: first, within: below}) {
		s.also(column + " >= " + s.arg(first) + " AND " + below)
	}
}

func (s *search) byRole(role string) {
	x := index{letter: "r", from: "account_role r JOIN person p ON p.account_id = r.account_id", id: "r.account_id"}
	if s.index.letter == "" {
		x.within = "r.role = " + s.arg(role)
		s.drive(x)
		return
	}
	s.also("EXISTS (SELECT 1 FROM account_role r WHERE r.account_id = p.account_id AND r.role = " + s.arg(role) + ")")
}

func (s *search) byState(state account.State) {
	if state == account.Leaving {
		s.byDeparture()
		return
	}
	if state == account.DisabledByOperator { // not if it was for a deletion
		s.also(departures + " = 0")
	}
	is := "p.state = " + s.arg(string(state))
	if state == account.Active || !s.drive(index{letter: "s", within: is + " AND p.state <> 'active'"}) {
		s.also(is)
	}
}

// departures is 1 for a person who is to be erased. PostgreSQL would read all of the table for EXISTS.
const departures = "(SELECT COUNT(*) FROM departure d WHERE d.account_id = p.account_id)"

// byDeparture finds the accounts that are to be erased. Only those that their owners have
// closed have the state leaving.
func (s *search) byDeparture() {
	x := index{letter: "d", from: "departure d JOIN person p ON p.account_id = d.account_id", id: "d.account_id", within: "d.erase_at > 0"}
	if !s.drive(x) {
		s.also(departures + " = 1")
	}
}

func (s *search) bySeen(before int64) {
	is := "p.seen_at < " + s.arg(before)
	if !s.drive(index{letter: "l", key: "p.seen_at", start: int64(-1), within: is}) {
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
	if !s.drive(index{letter: "f", key: "p.factors", start: first, within: below}) {
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
	case s.drive(index{letter: "c", key: "p.created_at", start: end, within: since, desc: true}):
	case from.IsZero() && to.IsZero():
		s.args = s.args[:len(s.args)-1] // of since
	default:
		s.also(since + " AND p.created_at < " + s.arg(end))
	}
}
