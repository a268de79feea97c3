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

// InsertApplicant implements account.PeopleStore.
func (t *Tx) InsertApplicant(ctx context.Context, accountID string) error {
	return t.run(ctx, `INSERT INTO applicant (account_id) VALUES ($1)`, accountID)
}

// TakeApplicants implements account.PeopleStore.
func (t *Tx) TakeApplicants(ctx context.Context, limit int) (n int, err error) {
	counts, err := collect(ctx, t, `DELETE FROM applicant WHERE account_id IN (SELECT account_id FROM applicant WHERE account_id > '' LIMIT CAST($1 AS BIGINT))
		RETURNING (SELECT COUNT(*) FROM account a WHERE a.id = account_id AND a.state = 'waiting')`, []any{limit}, scanOne[int])
	for _, count := range counts {
		n += count
	}
	return n, err
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
	if q.Verified == account.NotVerified {
		s.byUnproven()
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
	if q.Verified == account.IsVerified {
		s.also(unproven + " = 0")
	}
	s.byCreated(q.CreatedFrom, q.CreatedTo)
}

func (s *search) byAddress(key string, now time.Time) {
	s.drive(index{name: "w", within: `p.account_id IN (SELECT id FROM account WHERE address_key = ` + s.arg(key) + `
		UNION SELECT account_id FROM other_address WHERE address_key = ` + s.arg(key) + ` AND expires_at > ` + s.arg(micros(now)) + `)`})
}

func (s *search) byPrefix(q account.Query) {
	column, name := "p.address_key", "a"
	switch q.By {
	case account.ByAddress:
		return
	case account.ByNamePrefix:
		column, name = "p.name_key", "n"
	}
	first := []byte(q.Text)
	end := bytes.Clone(first)
	end[len(end)-1]++ // UTF-8 has no byte 0xff
	below := column + " < " + s.arg(end)
	if !s.narrow(index{name: name, key: column, start: first}, below) {
		s.also(column + " >= " + s.arg(first))
	}
}

func (s *search) byRole(role string) {
	x := index{name: "r", from: "account_role r JOIN person p ON p.account_id = r.account_id", id: "r.account_id"}
	if s.index.name == "" {
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
	if state == account.Active {
		s.also(is)
		return
	}
	// The index has only the rows with another state than active, which the condition has to say.
	s.narrow(index{name: "s"}, is+" AND p.state <> 'active'")
}

// departures is 1 for a person who is to be erased. PostgreSQL would read all of the table for EXISTS.
const departures = "(SELECT COUNT(*) FROM departure d WHERE d.account_id = p.account_id)"

// byDeparture finds the accounts that are to be erased. Only those that their owners have
// closed have the state leaving.
func (s *search) byDeparture() {
	x := index{name: "d", from: "departure d JOIN person p ON p.account_id = d.account_id", id: "d.account_id", within: "d.erase_at > 0"}
	if !s.drive(x) {
		s.also(departures + " = 1")
	}
}

// byUnproven finds the accounts whose address nobody has proven. An import makes them, so there are few.
func (s *search) byUnproven() {
	x := index{name: "u", from: "unproven_address u JOIN person p ON p.account_id = u.account_id", id: "u.account_id", within: "u.since >= 0"}
	if !s.drive(x) {
		s.also(unproven + " = 1")
	}
}

// unproven is 1 for a person whose address nobody has proven, as departures is.
const unproven = "(SELECT COUNT(*) FROM unproven_address u WHERE u.account_id = p.account_id)"

func (s *search) bySeen(before int64) {
	s.narrow(index{name: "l", key: "p.seen_at", start: int64(-1)}, "p.seen_at < "+s.arg(before))
}

func (s *search) byFactors(f account.Factors) {
	first, last := appOnly, bothFactors
	switch f {
	case account.NoFactor:
		first, last = noFactor, noFactor
	case account.HasPasskey:
		first = passkeyOnly
	case account.NoPasskey:
		first, last = noFactor, appOnly
	}
	if !s.narrow(index{name: "f", key: "p.factors", start: first}, "p.factors <= "+s.arg(last)) {
		s.also("p.factors >= " + s.arg(first))
	}
	if f == account.HasApp {
		s.also("p.factors <> " + s.arg(passkeyOnly))
	}
}

func (s *search) byCreated(from, to time.Time) {
	end := int64(math.MaxInt64)
	if !to.IsZero() {
		end = micros(to)
	}
	if s.index.name != "" && from.IsZero() && to.IsZero() {
		return
	}
	since := "p.created_at >= " + s.arg(micros(from))
	if !s.narrow(index{name: "c", key: "p.created_at", start: end, desc: true}, since) {
		s.also("p.created_at < " + s.arg(end))
	}
}
