package move

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"portico/internal/store/engine"
)

// postgresTables returns the tables of the target with their columns, without
// keys and references, and without partitions.
func postgresTables(ctx context.Context, conn *pgx.Conn) ([]table, error) {
	rows, err := conn.Query(ctx, `SELECT c.table_name::text, c.column_name::text, c.data_type::text
		FROM information_schema.columns c JOIN pg_class t ON t.relname = c.table_name AND t.relnamespace = c.table_schema::regnamespace
		WHERE c.table_schema = current_schema() AND t.relkind IN ('r', 'p') AND NOT t.relispartition
		ORDER BY c.table_name, c.ordinal_position`)
	if err != nil {
		return nil, err
	}
	var all []table
	var name string
	var c column
	_, err = pgx.ForEachRow(rows, []any{&name, &c.name, &c.kind}, func() error {
		if slices.Contains(ownTables(), name) {
			return nil
		}
		if len(all) == 0 || all[len(all)-1].name != name {
			all = append(all, table{name: name})
		}
		last := &all[len(all)-1]
		last.columns = append(last.columns, c)
		return nil
	})
	return all, err
}

// takesTables refuses a database with another encoding than UTF-8, or in which
// we may not create tables.
func takesTables(ctx context.Context, conn *pgx.Conn) error {
	var encoding, role string
	var readOnly, may bool
	err := conn.QueryRow(ctx, `SELECT current_setting('server_encoding'), current_user::text, current_setting('transaction_read_only') = 'on',
		COALESCE(has_schema_privilege(current_schema(), 'CREATE'), false)`).Scan(&encoding, &role, &readOnly, &may)
	switch {
	case err != nil:
		return err
	case encoding != "UTF8":
		return fmt.Errorf("the PostgreSQL database is encoded in %s: make one with ENCODING 'UTF8' TEMPLATE template0", encoding)
	case readOnly:
		return engine.ErrReadOnly
	case !may:
		return fmt.Errorf("the role %s may not make tables in the PostgreSQL database: make it the owner with ALTER DATABASE name OWNER TO %s", role, quote(role))
	}
	return nil
}

// targetMark reports whether a move has begun to fill the target.
func targetMark(ctx context.Context, conn *pgx.Conn) (coming bool, err error) {
	var known bool
	err = conn.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = current_schema() AND table_name = 'move')`).Scan(&known)
	if err == nil && known {
		err = conn.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM move WHERE state = 'coming')`).Scan(&coming)
	}
	return coming, err
}

// holdsRows returns the name of a table that has any, or "".
func holdsRows(ctx context.Context, conn *pgx.Conn, tables []table) (string, error) {
	for _, t := range tables {
		var found bool
		if err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM `+quote(t.name)+`)`).Scan(&found); err != nil || found {
			return t.name, err
		}
	}
	return "", nil
}

// makeMonths makes the partitions for the audit records of the source.
func (v *transfer) makeMonths(ctx context.Context) error {
	var oldest int64
	if err := v.file.Reader().QueryRowContext(ctx, `SELECT COALESCE(MIN(at), 0) FROM audit`).Scan(&oldest); err != nil {
		return v.file.Explain(err)
	}
	now := time.Now()
	from := now.AddDate(-10, 0, 0) // audit.keep is no longer
	if at := time.UnixMicro(oldest); oldest == 0 {
		from = now
	} else if at.After(from) {
		from = at
	}
	return v.server.MakeMonths(ctx, from, now)
}
