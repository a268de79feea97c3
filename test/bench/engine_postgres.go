package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"portico/internal/ids"
)

// postgresEngine creates its databases on the server at the URL, which tools/postgres has started. They lie
// on the disk, since that server's own folder is in memory, where large ones have no room.
type postgresEngine struct{ server string }

func (postgresEngine) name() string { return "PostgreSQL" }

func (e postgresEngine) about(ctx context.Context) string {
	conn, err := pgx.Connect(ctx, e.server)
	if err != nil {
		return err.Error()
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var version, sync, commit, buffers string
	err = conn.QueryRow(ctx, `SELECT current_setting('server_version'), current_setting('fsync'), current_setting('synchronous_commit'), current_setting('shared_buffers')`).
		Scan(&version, &sync, &commit, &buffers)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("PostgreSQL %s on the same machine, fsync=%s, synchronous_commit=%s, shared_buffers=%s", version, sync, commit, buffers)
}

func (postgresEngine) large(s scale) int { return s.huge }

func (e postgresEngine) create(ctx context.Context, _ string) (string, func() error, error) {
	u, err := url.Parse(e.server)
	if err != nil {
		return "", nil, err
	}
	name := "bench_" + ids.New()
	u.Path = "/" + name
	drop := func() error {
		return e.run(context.WithoutCancel(ctx), e.server, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
	}
	return u.String(), drop, e.run(ctx, e.server, "CREATE DATABASE "+name+" TABLESPACE disk")
}

func (postgresEngine) run(ctx context.Context, databaseURL string, statements ...string) error {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return err
	}
	for _, statement := range statements {
		if _, err = conn.Exec(ctx, statement); err != nil {
			break
		}
	}
	return errors.Join(err, conn.Close(context.WithoutCancel(ctx)))
}

// fill leaves out the indexes until the rows are there, as that of SQLite does.
func (e postgresEngine) fill(ctx context.Context, databaseURL, table, statement string) error {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return err
	}
	rows, err := conn.Query(ctx, `SELECT 'DROP INDEX ' || indexrelid::regclass, pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = $1::regclass AND NOT indisunique`, table)
	var before, after []string
	var drop, create string
	if err == nil {
		_, err = pgx.ForEachRow(rows, []any{&drop, &create}, func() error {
			before, after = append(before, drop), append(after, strings.Replace(create, " ON ONLY ", " ON ", 1))
			return nil
		})
	}
	if err = errors.Join(err, conn.Close(ctx)); err != nil {
		return err
	}
	return e.run(ctx, databaseURL, slices.Concat(before, []string{statement, "SET maintenance_work_mem = '1GB'"}, after, []string{"ANALYZE"})...)
}

func (e postgresEngine) lookup(ctx context.Context, databaseURL string) (lookup, error) {
	cfg, err := pgxpool.ParseConfig(databaseURL)
	if err != nil {
		return nil, err
	}
	cfg.MaxConns = int32(max(10, 4*runtime.NumCPU()))
	cfg.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	query := byHash("$1")
	return func(hash []byte) scanner { return pool.QueryRow(ctx, query, hash) }, nil
}

// identifier and token of people.go in SQL, for the number n.
const (
	accountIDInSQL = `substr(encode(sha256(convert_to('account ' || n, 'UTF8')), 'hex'), 1, 25) || '0'`
	sessionIDInSQL = `substr(encode(sha256(convert_to('session ' || n, 'UTF8')), 'hex'), 1, 25) || '0'`
	tokenInSQL     = `translate(rtrim(encode(sha256(convert_to('token ' || n, 'UTF8')), 'base64'), '='), '+/', '-_')`
)

// load lets the server make the rows. With wal_level=minimal the server does
// not log tables that the same transaction has emptied, which halves the disk
// space. Foreign keys are not checked. The indexes are marked as not ready and
// built at the end: updating them row by row takes three times as long.
func (e postgresEngine) load(ctx context.Context, databaseURL string, p people) error {
	now := time.Now().UnixMicro()
	created, expires := strconv.FormatInt(now, 10), strconv.FormatInt(now+life, 10)
	return e.run(ctx, databaseURL,
		"SET session_replication_role = replica",
		"BEGIN",
		"TRUNCATE account CASCADE",
		"UPDATE pg_index SET indisready = false WHERE indrelid IN ('account'::regclass, 'session'::regclass, 'person'::regclass)",
		`INSERT INTO account (id, address, address_key, name, state, roles, password, version, created_at, address_at, locale, flow_ends, terms, terms_at, factor_told_at, alarm_at, alarm_mail_at, alarm_address_at)
			SELECT `+accountIDInSQL+`, 'u' || n || '@bench.test', 'u' || n || '@bench.test', '', 'active', '[]', '`+p.verifier+`', 1, `+created+`, 0, '', 0, '', 0, 0, 0, 0, 0
			FROM generate_series(0, `+strconv.Itoa(p.count-1)+`) n`,
		`INSERT INTO session (id, token_hash, account_id, version, methods, user_agent, created_at, authenticated_at, last_seen_at, expires_at, peer, strong_at)
			SELECT `+sessionIDInSQL+`, sha256(convert_to(`+tokenInSQL+`, 'UTF8')), `+accountIDInSQL+`, 1, '["password"]', '', `+created+`, `+created+`, `+created+`, `+expires+`, '', 0
			FROM generate_series(0, `+strconv.Itoa(p.sessions-1)+`) n`,
		`INSERT INTO person (account_id, address_key, name_key, state, roles, factors, seen_at, created_at)
			SELECT `+accountIDInSQL+`, convert_to('u' || n || '@bench.test', 'UTF8'), '', 'active', '[]', 0, CASE WHEN n < `+strconv.Itoa(p.sessions)+` THEN `+created+` ELSE 0 END, `+created+`
			FROM generate_series(0, `+strconv.Itoa(p.count-1)+`) n`,
		"COMMIT",
		"SET maintenance_work_mem = '1GB'",
		"REINDEX TABLE account",
		"REINDEX TABLE session",
		"REINDEX TABLE person",
		"ANALYZE",
	)
}
