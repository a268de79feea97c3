package move

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

const (
	// fewChanges is a number of changes that writes can wait for.
	fewChanges = 1000
	// mostPasses bounds the passes when rows are written faster than they are
	// copied.
	mostPasses = 20
	// batchSize is how many statements are sent to the target at once.
	batchSize = 1000
)

// changes are the keys of rows that may differ between the sides, by the name
// of the table and a text that identifies the key.
type changes map[string]map[string][]any

// addAll adds the keys that a query of the source yields, and returns them.
func (c changes) addAll(ctx context.Context, from *sql.Conn, t table, query string, args ...any) (added [][]any, err error) {
	list, err := from.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer list.Close()
	width := len(t.keys())
	for list.Next() {
		key, into := make([]any, width), make([]any, width)
		for i := range key {
			into[i] = &key[i]
		}
		if err := list.Scan(into...); err != nil {
			return nil, err
		}
		added = append(added, key)
		if c[t.name] == nil {
			c[t.name] = map[string][]any{}
		}
		c[t.name][fmt.Sprintf("%#v", key)] = key
	}
	return added, list.Err()
}

// catchUp follows until few enough changes are left for writes to wait.
func (v *transfer) catchUp(ctx context.Context) error {
	const step = "copy what was changed"
	v.options.Report(step, "", 0)
	for range mostPasses {
		followed := 0
		err := v.hold(ctx, "BEGIN", func(ctx context.Context) (err error) {
			followed, err = v.follow(ctx, step)
			return err
		})
		if err != nil || followed <= fewChanges {
			return err
		}
	}
	return nil
}

// follow copies the rows that were written since the last pass, compares them,
// and returns their number. No other row can have changed: the journal notes
// every write of the source, and the target is locked.
func (v *transfer) follow(ctx context.Context, step string) (int, error) {
	noted, place, err := v.journal.read(ctx, v.from, v.tables)
	if err != nil {
		return 0, v.file.Explain(err)
	}
	followed := 0
	for _, t := range v.tables {
		if len(noted[t.name]) > 0 {
			v.options.Report(step, t.name, int64(len(noted[t.name])))
		}
		if err := v.followTable(ctx, t, noted); err != nil {
			return 0, fmt.Errorf("bring the table %s up to date: %w", t.name, v.file.Explain(err))
		}
		followed += len(noted[t.name])
	}
	for _, t := range v.tables {
		if err := v.eachDifference(ctx, t, noted[t.name], t.differs); err != nil {
			return 0, v.file.Explain(err)
		}
	}
	v.journal.place = place
	return followed, nil
}

// followTable deletes before it inserts, so that a unique value can go from one
// row to another. Rows that a deletion removes as well (ON DELETE CASCADE) join
// the changes of their own table, which comes later.
func (v *transfer) followTable(ctx context.Context, t table, noted changes) error {
	var surplus, wanting [][]any
	err := v.eachDifference(ctx, t, noted[t.name], func(a, b []any) error {
		if a != nil {
			wanting = append(wanting, a)
		}
		if b != nil {
			surplus = append(surplus, t.keyOf(b))
		}
		return nil
	})
	if err != nil {
		return err
	}
	batch := &pgx.Batch{}
	for n, key := range surplus {
		batch.Queue(t.deleteOne(), key...)
		if batch.Len() == batchSize || n == len(surplus)-1 {
			if err := v.to.SendBatch(ctx, batch).Close(); err != nil {
				return err
			}
			batch = &pgx.Batch{}
		}
		if err := v.noteChildren(ctx, t, key, noted); err != nil {
			return err
		}
	}
	if len(wanting) == 0 {
		return nil
	}
	_, err = v.to.CopyFrom(ctx, pgx.Identifier{t.name}, t.names(), pgx.CopyFromRows(wanting))
	return err
}

// noteChildren adds the rows that a deletion removes from the target, with those that refer to them. A row
// that refers to the deleted one on the target only was noted when it changed.
func (v *transfer) noteChildren(ctx context.Context, t table, key []any, noted changes) error {
	for _, child := range v.tables {
		for _, r := range child.parents {
			if r.parent != t.name {
				continue
			}
			removed, err := noted.addAll(ctx, v.from, child, child.selectKeys(r), key...)
			if err != nil {
				return err
			}
			for _, key := range removed {
				if err := v.noteChildren(ctx, child, key, noted); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// eachDifference calls do with both forms of each of these rows that differs. A
// missing row is nil.
func (v *transfer) eachDifference(ctx context.Context, t table, keys map[string][]any, do func(a, b []any) error) error {
	one, err := v.from.PrepareContext(ctx, t.selectOne("?"))
	if err != nil {
		return err
	}
	defer one.Close()
	var some [][]any
	for _, key := range keys {
		if some = append(some, key); len(some) == batchSize {
			if err := v.compareSome(ctx, t, one, some, do); err != nil {
				return err
			}
			some = some[:0]
		}
	}
	return v.compareSome(ctx, t, one, some, do)
}

func (v *transfer) compareSome(ctx context.Context, t table, one *sql.Stmt, keys [][]any, do func(a, b []any) error) (err error) {
	if len(keys) == 0 {
		return nil
	}
	batch := &pgx.Batch{}
	for _, key := range keys {
		batch.Queue(t.selectOne("$"), key...)
	}
	results := v.to.SendBatch(ctx, batch)
	defer func() { err = errors.Join(err, results.Close()) }()
	for _, key := range keys {
		a, err := t.sourceRow(ctx, one, key)
		if err != nil {
			return err
		}
		found, err := results.Query()
		if err != nil {
			return err
		}
		b, err := (&targetRows{found}).next()
		found.Close()
		if err = errors.Join(err, found.Err()); err != nil {
			return err
		}
		if !equalRows(a, b) {
			if err := do(a, b); err != nil {
				return err
			}
		}
	}
	return nil
}

// sourceRow returns the row of a key, or nil.
func (t table) sourceRow(ctx context.Context, one *sql.Stmt, key []any) ([]any, error) {
	list, err := one.QueryContext(ctx, key...)
	if err != nil {
		return nil, err
	}
	defer list.Close()
	return (&sqliteRows{Rows: list, table: t, report: func(int64) {}}).next()
}
