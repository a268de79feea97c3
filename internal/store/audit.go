package store

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"portico/internal/audit"
)

const factColumns = `id, at, name, account_id, actor, peer, user_agent, request_id, detail`

// FactsOf implements audit.Store.
func (t *Tx) FactsOf(ctx context.Context, accountID, before string, limit int, names ...audit.Name) ([]audit.Fact, error) {
	where, args := "", []any{accountID, limit}
	if before != "" { // with an OR in its place, the index would begin at the newest record
		where, args = `AND (at, id) < (SELECT at, id FROM audit WHERE id = $3 AND account_id = $1)`, append(args, before)
	}
	if len(names) > 0 {
		var places []string
		for _, name := range names {
			args = append(args, string(name))
			places = append(places, "$"+strconv.Itoa(len(args)))
		}
		where += ` AND name IN (` + strings.Join(places, ", ") + `)`
	}
	return collect(ctx, t, `SELECT `+factColumns+` FROM audit WHERE account_id = $1 `+where+` ORDER BY at DESC, id DESC LIMIT CAST($2 AS BIGINT)`, args,
		scanFact)
}

func scanFact(row scanner) (audit.Fact, error) {
	var f audit.Fact
	var at int64
	err := row.Scan(&f.ID, &at, &f.Name, &f.AccountID, &f.Actor, &f.Peer, &f.UserAgent, &f.RequestID, &f.Detail)
	f.At = fromMicros(at)
	return f, err
}

// InsertFact implements audit.Store.
func (t *Tx) InsertFact(ctx context.Context, all ...audit.Fact) error {
	if len(all) > 1 {
		newest, err := t.NewestSeal(ctx)
		if err != nil {
			return err
		}
		facts := rows{table: "audit", columns: factColumns + ", seal"}
		for _, f := range all {
			facts.add(factValues(f, newest)...)
		}
		return t.insert(ctx, facts)
	}
	f := all[0]
	return t.run(ctx, `INSERT INTO audit (id, at, name, account_id, actor, peer, user_agent, request_id, detail, seal)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, CASE WHEN $10 <= (SELECT last_at FROM audit_seal WHERE number > 0 ORDER BY number DESC LIMIT 1) THEN -1 ELSE 0 END)`,
		f.ID, micros(f.At), string(f.Name), f.AccountID, f.Actor, f.Peer, f.UserAgent, f.RequestID, f.Detail, micros(f.At.Add(-audit.Late)))
}

// factValues returns a row for factColumns and seal, as InsertFact writes it.
func factValues(f audit.Fact, newest audit.Seal) []any {
	seal := 0
	if newest.Number > 0 && !f.At.Add(-audit.Late).After(newest.Last.At) {
		seal = -1
	}
	return []any{f.ID, micros(f.At), string(f.Name), f.AccountID, f.Actor, f.Peer, f.UserAgent, f.RequestID, f.Detail, seal}
}

// Facts implements audit.Store.
func (t *Tx) Facts(ctx context.Context, q audit.Query) (audit.Page, error) {
	s := &search{}
	s.facts(q)
	all, err := look(ctx, t, s, `f.`+strings.ReplaceAll(factColumns, ", ", ", f."), "audit f ON f.at = looked.place AND f.id = looked.id", q.After, q.Limit, scanFact)
	return audit.Page{Facts: all, Next: s.next, Partial: s.partial}, err
}

// facts chooses the index of a list of records: the one that likely has the fewest of them
// comes first.
func (s *search) facts(q audit.Query) {
	end := int64(math.MaxInt64)
	if !q.To.IsZero() {
		end = micros(q.To)
	}
	x := index{from: "audit e", id: "e.id", key: "e.at", start: end, desc: true}
	since := "e.at >= " + s.arg(micros(q.From))
	by := func(name, condition string) {
		x.name, x.within = name, condition+" AND "+since
		if !s.drive(x) {
			s.also(condition)
		}
	}
	byName := func() { by("k", "e.name <> 'signed_in' AND e.name = "+s.arg(string(q.Names[0]))) }
	if q.AccountID != "" {
		by("p", "e.account_id = "+s.arg(q.AccountID))
	}
	others := "e.actor <> 'self' AND e.actor = " // as its index has it
	if q.Actor != "" && q.Actor != audit.Self && q.Actor != audit.Stranger {
		by("o", others+s.arg(q.Actor))
	}
	if len(q.Names) == 1 && !q.Names[0].Usual() {
		byName()
	}
	if q.Peer != "" {
		by("n", "e.peer = "+s.arg(q.Peer))
	}
	if q.Actor == audit.Stranger {
		by("o", others+s.arg(q.Actor))
	}
	if len(q.Names) == 1 && q.Names[0].Usual() && q.Names[0] != audit.SignedIn {
		byName()
	}
	x.name, x.within = "t", since
	s.drive(x)
	if q.Actor == audit.Self {
		s.also("e.actor = " + s.arg(q.Actor))
	}
	if len(q.Names) > 1 || slices.Equal(q.Names, []audit.Name{audit.SignedIn}) {
		s.also("e.name IN (" + s.list(q.Names) + ")")
	}
}

func (s *search) list(names []audit.Name) string {
	var marks []string
	for _, name := range names {
		marks = append(marks, s.arg(string(name)))
	}
	return strings.Join(marks, ", ")
}
