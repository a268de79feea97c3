package flow

import (
	"cmp"
	"context"
	"strings"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/ids"
	"portico/internal/passkey"
	"portico/internal/throttle"
)

// Record returns a page of the audit records that match a query.
//
// Faults: the fields person, actor, network, kind, after and limit.
func (f *Operator) Record(ctx context.Context, q audit.Query) (page audit.Page, err error) {
	if bad := q.Checked(); bad != nil {
		return page, fault.InvalidFields(*bad)
	}
	err = f.store.Read(ctx, func(tx Tx) error {
		page, err = tx.Facts(ctx, q)
		return err
	})
	return page, err
}

// Named has what the ids in audit records stand for. Those that were erased are missing.
type Named struct {
	Accounts map[string]account.Account
	Keys     map[string]string // the names of API keys
}

// Known returns the accounts that some audit records are about, those of the admins who made them,
// and the API keys.
func (f *Operator) Known(ctx context.Context, facts []audit.Fact) (Named, error) {
	return read(ctx, f.store, func(tx Tx) (Named, error) { return f.namesIn(ctx, tx, facts) })
}

func (f *Operator) namesIn(ctx context.Context, tx Tx, facts []audit.Fact) (Named, error) {
	var all, keyed []string
	for _, fact := range facts {
		admin, _ := fact.Admin()
		all = append(all, fact.AccountID, admin)
		if key, ok := fact.Key(); ok {
			keyed = append(keyed, key)
		}
		if key, _, ok := aboutKey(fact); ok {
			keyed = append(keyed, key)
		}
	}
	known := Named{Accounts: map[string]account.Account{}}
	list, err := tx.AccountsByID(ctx, distinct(all))
	if err != nil {
		return known, err
	}
	for _, a := range list {
		known.Accounts[a.ID] = a
	}
	known.Keys, err = tx.APIKeyNames(ctx, distinct(keyed))
	return known, err
}

// MadeBy returns the address of the admin who made a change, or the name of the API key, and "" for others.
func (n Named) MadeBy(fact audit.Fact) string {
	if key, ok := fact.Key(); ok {
		return n.Keys[key]
	}
	admin, _ := fact.Admin()
	return n.Accounts[admin].Address.Mail
}

// actorOf returns the actor of a record for people to read.
func (n Named) actorOf(fact audit.Fact) string {
	if name := n.MadeBy(fact); name != "" {
		return fact.Actor + " (" + name + ")"
	}
	return fact.Actor
}

// aboutKey returns the API key that a record is about, and the rest of its detail.
func aboutKey(fact audit.Fact) (id, rest string, ok bool) {
	id, rest, _ = strings.Cut(fact.Detail, ",")
	return id, rest, fact.Name == audit.APIKeyMade || fact.Name == audit.APIKeyRotated || fact.Name == audit.APIKeyEnded
}

// DetailOf returns the detail of a record for people to read. It has the name of an authenticator in place of its
// model, or nothing for an unknown one, and that of an API key in place of its id.
func (n Named) DetailOf(fact audit.Fact) string {
	if id, rest, ok := aboutKey(fact); ok {
		return joined([2]string{"", cmp.Or(n.Keys[id], id)}, [2]string{"", rest})
	}
	switch fact.Name {
	case audit.PasskeyAdded, audit.PasskeyRenamed, audit.PasskeyRemoved:
		model, rest, _ := strings.Cut(fact.Detail, ",")
		return joined([2]string{"", passkey.ModelName(model)}, [2]string{"", rest})
	}
	return fact.Detail
}

// exportPause is after how long an export may be asked for again while another one of the Actor runs.
const exportPause = 10 * time.Second

// ExportRecord writes all audit records that match a query, page by page, and records
// that it does. Each page judges the Actor again, who has one export at once on a node. The query has no cursor and no limit.
//
// Faults: those of Record, throttle.Limited, session.Required, ErrNotAdmin, and as keyOf.
func (f *Operator) ExportRecord(ctx context.Context, by Actor, q audit.Query, w audit.Writer) error {
	q.After, q.Limit = "", audit.MostFacts
	if bad := q.Checked(); bad != nil {
		return fault.InvalidFields(*bad)
	}
	leave, ok := f.exports.enter(by.name)
	if !ok {
		return throttle.Limited(exportPause)
	}
	defer leave()
	about := ""
	if ids.Valid(q.AccountID) { // else it is whatever was typed
		about = q.AccountID
	}
	if err := f.store.Write(ctx, func(tx Tx) error {
		if err := f.stillAdmin(ctx, tx, by); err != nil {
			return err
		}
		return f.record.Add(ctx, tx, by.fact(audit.RecordExported, "", about))
	}); err != nil {
		return err
	}
	for {
		var page audit.Page
		var known Named
		err := f.store.Read(ctx, func(tx Tx) (err error) {
			if err = f.stillAdmin(ctx, tx, by); err != nil {
				return err
			}
			if page, err = tx.Facts(ctx, q); err == nil {
				known, err = f.namesIn(ctx, tx, page.Facts)
			}
			return err
		})
		for _, fact := range page.Facts {
			if err == nil {
				err = w.Write(fact, known.MadeBy(fact), known.DetailOf(fact))
			}
		}
		if err == nil {
			err = w.Flush()
		}
		if q.After = page.Next; err != nil || q.After == "" {
			return err
		}
	}
}
