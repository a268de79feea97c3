package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// monthsAhead is how many months have a partition before they begin.
	monthsAhead = 2
	// mostDefault bounds the default partition next to which another one is attached. The
	// server reads all of it meanwhile, and it is locked.
	mostDefault = 64 << 20
	monthLayout = "audit_2006_01"
)

// partitions are the partitions of the audit records, and what this role may do.
type partitions struct {
	names  []string // of months
	own    bool     // the role may attach and drop them
	schema string
	others int64 // bytes of the default partition
}

func (p *DB) partitions(ctx context.Context) (all partitions, err error) {
	err = p.pool.QueryRow(ctx, `SELECT COALESCE(array_agg(c.relname::text ORDER BY c.relname) FILTER (WHERE c.relname <> 'audit_default'), '{}'),
			COALESCE(bool_and(pg_has_role(c.relowner, 'USAGE')), false) AND bool_and(pg_has_role(a.relowner, 'USAGE')) AND has_schema_privilege(current_schema(), 'CREATE'),
			COALESCE(current_schema()::text, ''), COALESCE(pg_relation_size(to_regclass('audit_default')), 0)
		FROM pg_class a LEFT JOIN pg_inherits i ON i.inhparent = a.oid LEFT JOIN pg_class c ON c.oid = i.inhrelid
		WHERE a.relname = 'audit' AND a.relkind = 'p' AND a.relnamespace = current_schema()::regnamespace
		GROUP BY a.oid`).Scan(&all.names, &all.own, &all.schema, &all.others)
	if errors.Is(err, pgx.ErrNoRows) || sqlState(err) == stateNoFunction {
		return all, nil // a server that only speaks the protocol
	}
	return all, err
}

// MakeMonths implements engine.Engine.
func (p *DB) MakeMonths(ctx context.Context, from, now time.Time) error {
	all, err := p.partitions(ctx)
	if err != nil || !all.own || all.others > mostDefault {
		return err
	}
	for month := monthOf(from); !month.After(monthOf(now).AddDate(0, monthsAhead, 0)); month = month.AddDate(0, 1, 0) {
		if !slices.Contains(all.names, month.Format(monthLayout)) {
			if err := p.makeMonth(ctx, month); err != nil {
				return err
			}
		}
	}
	return nil
}

// makeMonth attaches the partition of a month. A month of which the default partition has
// records stays there.
func (p *DB) makeMonth(ctx context.Context, month time.Time) error {
	first, end, name := month.UnixMicro(), month.AddDate(0, 1, 0).UnixMicro(), month.Format(monthLayout)
	return p.change(ctx, func(tx *sql.Tx) error {
		var taken bool
		if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM audit_default WHERE at >= $1 AND at < $2)`, first, end).Scan(&taken); err != nil || taken {
			return err
		}
		return execute(ctx, tx, `CREATE TABLE `+name+` (LIKE audit INCLUDING ALL)`,
			fmt.Sprintf(`ALTER TABLE audit ATTACH PARTITION %s FOR VALUES FROM (%d) TO (%d)`, name, first, end))
	})
}

// DropMonths implements engine.Engine. Records that came too late and have a seal that stays
// move to the default partition.
func (p *DB) DropMonths(ctx context.Context, until time.Time) error {
	all, err := p.partitions(ctx)
	if err != nil || !all.own {
		return err
	}
	for _, name := range all.names {
		month, err := time.Parse(monthLayout, name)
		if err != nil || month.AddDate(0, 1, 0).After(until) {
			continue
		}
		if err := p.change(ctx, func(tx *sql.Tx) error {
			return execute(ctx, tx, `ALTER TABLE audit DETACH PARTITION `+name,
				`INSERT INTO audit SELECT * FROM `+name+` WHERE seal > 0 AND seal <> 0`, `DROP TABLE `+name)
		}); err != nil {
			return err
		}
	}
	return nil
}

// change runs fn in a transaction that waits only briefly for a lock.
func (p *DB) change(ctx context.Context, fn func(*sql.Tx) error) error {
	tx, err := p.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := fn(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

func execute(ctx context.Context, tx *sql.Tx, statements ...string) error {
	for _, statement := range statements {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", strings.Fields(statement)[0], err)
		}
	}
	return nil
}

func monthOf(t time.Time) time.Time {
	return time.Date(t.UTC().Year(), t.UTC().Month(), 1, 0, 0, 0, 0, time.UTC)
}
