package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"portico/internal/store/engine"
)

// oldest is the server version that Portico needs, as server_version_num has it.
const oldest = 130000

// place is where a connection leads to, and what it may do there.
type place struct {
	version                                    int
	encoding, role, database, schema, searched string
	mayCreate                                  bool
}

// Rights implements engine.Engine. It asks before the first change, because a migration
// that lacks a right would leave the schema half done. A database that only speaks the
// protocol of PostgreSQL may not know the questions.
func (p *DB) Rights(ctx context.Context, f engine.Facts, failed error) error {
	err := p.rights(ctx, f, failed)
	if state := sqlState(err); state == stateNoFunction || state == stateNoFeature {
		return failed
	}
	return err
}

func (p *DB) rights(ctx context.Context, f engine.Facts, failed error) error {
	at, _, err := engine.First(ctx, p.Read(), `SELECT current_setting('server_version_num')::int, current_setting('server_encoding'),
		current_user::text, current_database()::text, coalesce(current_schema()::text, ''), current_setting('search_path'),
		coalesce(has_schema_privilege(current_schema(), 'CREATE'), false)`, nil, func(row engine.Scanner) (at place, err error) {
		err = row.Scan(&at.version, &at.encoding, &at.role, &at.database, &at.schema, &at.searched, &at.mayCreate)
		return at, err
	})
	if err != nil {
		return err
	}
	switch {
	case at.version < oldest:
		return fmt.Errorf("the server is PostgreSQL %d, and Portico needs %d or newer: use another server", at.version/10000, oldest/10000)
	case at.encoding != "UTF8":
		return fmt.Errorf("the database %s is encoded in %s: make another one with ENCODING 'UTF8' TEMPLATE template0", at.database, at.encoding)
	case at.schema == "":
		return fmt.Errorf("the role %s can use no schema of its search_path, which is %s: correct search_path, or run as the owner of the database GRANT USAGE, CREATE ON SCHEMA public TO %s",
			at.role, at.searched, quoted(at.role))
	}
	return p.tableRights(ctx, at, f, failed)
}

// tableRights checks the rights to the tables that are there, and to make more if
// migrations are due.
func (p *DB) tableRights(ctx context.Context, at place, f engine.Facts, failed error) error {
	tables, own, owner, use, err := p.tables(ctx)
	if err != nil {
		return err
	}
	grant := fmt.Errorf("the role %s may not read and change all tables in the schema %s: as their owner %s, run GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %s TO %s",
		at.role, at.schema, owner, quoted(at.schema), quoted(at.role))
	due := f.Schema < f.Newest
	switch {
	case sqlState(failed) == stateDenied:
		return grant
	case failed != nil:
		return failed
	case due && !at.mayCreate:
		return fmt.Errorf("the role %s may not create tables in the schema %s of the database %s: as the owner of the schema or a superuser, connect to this database and run GRANT CREATE ON SCHEMA %s TO %s",
			at.role, at.schema, at.database, quoted(at.schema), quoted(at.role))
	case due && !own:
		return fmt.Errorf("the tables belong to the role %s, and %s may not change them for this version: run 'portico migrate' with a database_url of %s", owner, at.role, owner)
	case tables > 0 && !use:
		return grant
	}
	return nil
}

// tables returns how many tables the schema has, whether the role has the rights of all
// their owners, one of the owners, and whether the role can read and change them.
func (p *DB) tables(ctx context.Context) (count int, own bool, owner string, use bool, err error) {
	_, _, err = engine.First(ctx, p.Read(), `SELECT count(*)::int, coalesce(bool_and(pg_has_role(c.relowner, 'USAGE')), true), coalesce(min(pg_get_userbyid(c.relowner)::text), ''),
		coalesce(bool_and(has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT')
			AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE')), true)
		FROM pg_class c WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> '`+engine.VersionTable+`'
			AND c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())`, nil,
		func(row engine.Scanner) (any, error) { return nil, row.Scan(&count, &own, &owner, &use) })
	return count, own, owner, use, err
}

func quoted(name string) string { return pgx.Identifier{name}.Sanitize() }

const (
	stateDenied     = "42501" // a role lacks a right
	stateNoFunction = "42883"
	stateNoFeature  = "0A000"
)

// advice returns what an operator can do about a connection that fails, or "".
func advice(failed *pgconn.ConnectError) string {
	answer, ok := errors.AsType[*pgconn.PgError](failed)
	switch {
	case !ok && slices.ContainsFunc(leaves(failed), gone):
		return "check database_url, and that the database is running"
	case !ok:
		return ""
	}
	role, database := quoted(failed.Config.User), quoted(failed.Config.Database)
	switch answer.Code {
	case "3D000":
		return fmt.Sprintf("create it as a superuser with CREATE DATABASE %s OWNER %s ENCODING 'UTF8' TEMPLATE template0, or correct database_url", database, role)
	case "28P01":
		return "correct the user and the password in database_url"
	case "28000":
		return fmt.Sprintf("create the role with CREATE ROLE %s LOGIN PASSWORD '...', or let it in in pg_hba.conf", role)
	case stateDenied:
		return fmt.Sprintf("as the owner of the database, run GRANT CONNECT ON DATABASE %s TO %s", database, role)
	case "53300":
		return "raise max_connections of the server or the CONNECTION LIMIT of the role, or lower pool_max_conns in database_url"
	}
	return ""
}
