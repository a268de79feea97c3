package archive

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// mostRows and mostValues bound one statement. SQLite takes 32,766 values.
const (
	mostRows   = 100
	mostValues = 4000
)

// inserter inserts the rows of a table, many at once.
type inserter struct {
	*table
	conn    *sql.Conn
	full    *sql.Stmt // of as many rows as fit
	waiting []any
	rows    int64
}

func (t *inserter) most() int { return min(mostRows, mostValues/len(t.columns)) * len(t.columns) }

func (t *inserter) add(ctx context.Context, row []any) (err error) {
	t.waiting = append(t.waiting, row...)
	t.rows++
	if len(t.waiting) < t.most() {
		return nil
	}
	if t.full == nil {
		if t.full, err = t.conn.PrepareContext(ctx, t.statement()); err != nil {
			return err
		}
	}
	_, err = t.full.ExecContext(ctx, t.waiting...)
	return t.done(err)
}

// statement inserts the rows that wait.
func (t *inserter) statement() string {
	var b strings.Builder
	fmt.Fprintf(&b, `INSERT INTO %s (%s) VALUES `, quote(t.name), strings.Join(t.quoted, ", "))
	for i := range t.waiting {
		switch {
		case i%len(t.columns) > 0:
			b.WriteString(", ")
		case i > 0:
			b.WriteString("), (")
		default:
			b.WriteByte('(')
		}
		fmt.Fprintf(&b, "$%d", i+1)
	}
	b.WriteByte(')')
	return b.String()
}

// done forgets the rows that were inserted.
func (t *inserter) done(err error) error {
	clear(t.waiting)
	t.waiting = t.waiting[:0]
	if err != nil {
		err = fmt.Errorf("the table %s does not take the rows up to here: %w", t.name, err)
	}
	return err
}

// close inserts the last rows.
func (t *inserter) close(ctx context.Context) (err error) {
	if len(t.waiting) > 0 {
		_, err = t.conn.ExecContext(ctx, t.statement(), t.waiting...)
		err = t.done(err)
	}
	if t.full != nil {
		err = errors.Join(err, t.full.Close())
	}
	return err
}
