package app

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"testing"
	"time"

	"portico/internal/flow"
	"portico/internal/people"
	"portico/internal/session"
	"portico/internal/store"
	"portico/internal/store/pgtest"
)

// manyFar is more than most batches of the background work.
const manyFar = 520

// FLT-05: no transaction of the background work sends more messages than it has time for where each takes 8 ms.
// Otherwise it would fail at each turn, with the same rows.
func TestWork_FarDatabase(t *testing.T) {
	t.Parallel()
	cfg := settingsOnPostgres(t)
	near := pgtest.Plain(cfg.DatabaseURL)
	proxy := pgtest.NewProxy(t, near)
	cfg.DatabaseURL = pgtest.Patient(proxy.URL())
	a := open(t, cfg, Options{})
	t.Cleanup(func() { a.end(t) })
	far := func(what string, work func(context.Context) error, left string) {
		t.Helper()
		proxy.Longest()
		err, longest, n := work(t.Context()), proxy.Longest(), 0
		if failed := a.Store.Snapshot(t.Context(), func(conn *sql.Conn) error {
			return conn.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM `+left).Scan(&n)
		}); failed != nil {
			t.Fatal(failed)
		}
		if err != nil || n > 0 || longest == 0 || longest > 1400/8 {
			t.Errorf("%s: %d messages in a transaction, and %d rows are left (%v)", what, longest, n, err)
		}
	}
	fill := func(rows int, text string) {
		t.Helper()
		pgtest.Exec(t, near, text+fmt.Sprintf(` FROM generate_series(1, %d) n`, rows))
	}

	fill(manyFar, `INSERT INTO account (id, address, address_key, address_at, name, locale, state, roles, password, version, flow_ends, terms, terms_at,
			factor_told_at, alarm_at, alarm_mail_at, alarm_address_at, created_at)
		SELECT 'a' || n, '', n, 0, '', '', 'active', '["editor","tester"]', '', 1, 0, '', 0, 0, 0, 0, 0, 1`)
	far("the list of people", a.comparePeople, `account WHERE id NOT IN (SELECT account_id FROM account_role JOIN person USING (account_id))`)

	a.uses(t)
	far("the last uses of sessions", a.flushSessions, `session WHERE last_seen_at < `+fmt.Sprint(time.Now().Add(-time.Hour).UnixMicro()))

	fill(manyFar, `INSERT INTO revocation (id, account_id, at) SELECT 'r' || n, 'a', n`)
	far("the revocations", func(ctx context.Context) error {
		return a.Store.Write(ctx, func(tx *store.Tx) error {
			var ids []string
			all, err := tx.Revocations(ctx)
			for _, r := range all {
				ids = append(ids, r.ID)
			}
			return cmp.Or(err, tx.DeleteRevocations(ctx, ids))
		})
	}, `revocation`)

	const aged, late = 60, 300 // each takes several statements
	fill(aged, `INSERT INTO openid_watch (session_id, check_at) SELECT 's' || n, n`)
	fill(aged, `INSERT INTO session (id, token_hash, account_id, version, methods, user_agent, peer, created_at, authenticated_at, strong_at, last_seen_at, expires_at)
		SELECT 's' || n, ('s' || n)::bytea, 'a' || n, 1, '[]', '', '', 1, 1, 1, 1, 1`)
	for _, client := range []string{"x", "y"} {
		fill(aged, `INSERT INTO openid_grant (id, client_id, account_id, version, session_id, sid, methods, signed_in_at, scopes, claims, resources, redirect_uri,
				nonce, challenge, proof_key, may_tell, generation, access_from, created_at, redeemed_at, rotated_at, ended_at, expires_at)
			SELECT '`+client+`' || n, '`+client+`', 'a' || n, 1, 's' || n, '', '[]', 1, '[]', '[]', '[]', '', '', '', '', 1, 1, 1, 1, 1, 1, 0, 9e15`)
	}
	far("what clients have", func(ctx context.Context) error {
		return a.batches(ctx, func(tx *store.Tx) (bool, error) { return a.live.Load().Operator.EndAged(ctx, tx) })
	}, `openid_grant WHERE ended_at = 0`)

	record := func(seal string) {
		t.Helper()
		fill(late, `INSERT INTO audit (id, at, name, account_id, actor, peer, user_agent, request_id, detail, seal) SELECT 'f' || n + `+seal+`, n, '', '', '', '', '', '', '', `+seal)
	}
	record("0")
	far("the record", a.sealRecord, `audit WHERE at > (SELECT MAX(last_at) FROM audit_seal)`)
	record("-1")
	far("what came late to the record", a.sealRecord, `audit WHERE seal < 0`)

	far("an import", func(ctx context.Context) error {
		how := flow.Import{Update: true}
		everybody := make([]people.Person, 30)
		for _, name := range []string{"", "mara"} {
			for n := range everybody {
				everybody[n] = people.Person{Email: fmt.Sprintf("p%d@x.test", n), Name: name, Roles: []string{"editor" + name}}
			}
			for some := range slices.Chunk(everybody, a.Operator.MostImported(how)) {
				if _, err := a.Operator.Import(ctx, flow.ByOperator, some, how); err != nil {
					return err
				}
			}
		}
		return nil
	}, `account WHERE address LIKE 'p%' AND name = ''`)
}

// uses signs users in, and lets them use their sessions two hours later.
func (a *App) uses(t *testing.T) {
	t.Helper()
	var tokens []string
	long := time.Now().Add(-2 * time.Hour)
	if err := a.Store.Write(t.Context(), func(tx *store.Tx) error {
		for n := range manyFar {
			token, _, err := a.Sessions.Start(t.Context(), tx, session.Session{AccountID: fmt.Sprintf("a%d", n+1), Version: 1})
			if err != nil {
				return err
			}
			tokens = append(tokens, token)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	pgtest.Exec(t, pgtest.Plain(a.Config.DatabaseURL), fmt.Sprintf("UPDATE session SET last_seen_at = %d", long.UnixMicro()))
	for _, token := range tokens {
		if err := a.Store.Read(t.Context(), func(tx *store.Tx) error {
			_, err := a.Sessions.Check(t.Context(), tx, token)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
}
