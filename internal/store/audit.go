package store

import (
	"context"
	"math"
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
func (t *Tx) InsertFact(ctx context.Context, f audit.Fact) error {
	_, err := t.exec(ctx, `INSERT INTO audit (id, at, name, account_id, actor, peer, user_agent, request_id, detail)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		factValues(f)...)
	return err
}

// factValues returns the values of factColumns.
func factValues(f audit.Fact) []any {
	return []any{f.ID, micros(f.At), string(f.Name), f.AccountID, f.Actor, f.Peer, f.UserAgent, f.RequestID, f.Detail}
}

// Facts implements audit.Store.
func (t *Tx) Facts(ctx context.Context, q audit.Query) (audit.Page, error) {
	s := &search{}
	s.facts(q)
	all, err := look(ctx, t, s, `f.`+strings.ReplaceAll(factColumns, ", ", ", f."), "audit f ON f.id = looked.id", q.After, q.Limit, scanFact)
	return audit.Page{Facts: all, Next: s.next, Partial: s.partial}, err
}

// facts chooses the index of a list of records: that of an account, or that of the time.
func (s *search) facts(q audit.Query) {
	end := int64(math.MaxInt64)
	if !q.To.IsZero() {
		end = micros(q.To)
	}
	x := index{name: "t", from: "audit e", id: "e.id", key: "e.at", start: end, desc: true, within: "e.at >= " + s.arg(micros(q.From))}
	if q.AccountID != "" {
		x.name, x.within = "p", "e.account_id = "+s.arg(q.AccountID)+" AND "+x.within
	}
	s.drive(x)
	if q.Actor != "" {
		s.also("e.actor = " + s.arg(q.Actor))
	}
	if q.Peer != "" {
		s.also("e.peer = " + s.arg(q.Peer))
	}
	var names []string
	for _, name := range q.Names {
		names = append(names, s.arg(string(name)))
	}
	if len(names) > 0 {
		s.also("e.name IN (" + strings.Join(names, ", ") + ")")
	}
}
