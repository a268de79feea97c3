package flow

import (
	"context"

	"portico/internal/audit"
	"portico/internal/fault"
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

// ExportRecord writes all audit records that match a query, page by page, and records
// that it does. The query has no cursor and no limit.
func (f *Operator) ExportRecord(ctx context.Context, by Actor, q audit.Query, w audit.Writer) error {
	q.After, q.Limit = "", audit.MostFacts
	if bad := q.Checked(); bad != nil {
		return fault.InvalidFields(*bad)
	}
	if err := f.store.Write(ctx, func(tx Tx) error {
		return f.record.Add(ctx, tx, by.fact(audit.RecordExported, "", q.AccountID))
	}); err != nil {
		return err
	}
	for {
		page, err := f.Record(ctx, q)
		for _, fact := range page.Facts {
			if err == nil {
				err = w.Write(fact)
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
