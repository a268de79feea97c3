package app

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/clock"
	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/openid"
	"portico/internal/outbox"
	"portico/internal/store"
)

// A client learns of a session that ended while no node did the background work, before
// the rows are deleted that tell so. The settings of the last reload say who is a client.
func TestPurge_TellsFirst(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	now := clock.NewManual(time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC))
	a := open(t, cfg, Options{Clock: now, Dist: dist()})
	t.Cleanup(func() { a.end(t) })
	a.mount(t)
	aged, left := a.granted(t, "aged@example.org"), a.granted(t, "left@example.org")
	write := func(fn func(tx *store.Tx) error) {
		t.Helper()
		if err := a.Store.Write(t.Context(), fn); err != nil {
			t.Fatal(err)
		}
	}
	write(func(tx *store.Tx) error {
		return errors.Join(
			tx.Watch(t.Context(), aged.SessionID, aged.ExpiresAt.Add(time.Minute)),
			tx.InsertDeparture(t.Context(), account.Departure{AccountID: left.AccountID, LeftAt: now.Now(), EraseAt: now.Now().Add(time.Hour)}))
	})
	cfg.Clients = []config.Client{{
		ID: "rp", Public: true, PKCE: true, RedirectURIs: []string{"https://rp.test/cb"}, LogoutURI: "https://rp.test/logout", IDTokenAlg: "ES256", AccessToken: "opaque",
	}}
	before := a.live.Load()
	made, err := prepare(cfg, now, a.options)
	if err != nil {
		t.Fatal(err)
	}
	next, err := a.build(made, before)
	if err != nil {
		t.Fatal(err)
	}
	next.handlers = before.handlers
	a.live.Store(next)
	now.Advance(aged.ExpiresAt.Sub(now.Now()) + 7*24*time.Hour)
	if err := a.purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	write(func(tx *store.Tx) error {
		due, err := tx.ClaimMessages(t.Context(), outbox.Logouts, now.Now(), now.Now().Add(time.Hour), 10)
		for _, m := range due {
			told[m.AccountID] = true
		}
		return err
	})
	if len(told) != 2 || !told[aged.AccountID] || !told[left.AccountID] {
		t.Errorf("the client is told %v, want the ends of %s by age and %s by erasure", told, aged.AccountID, left.AccountID)
	}
	write(func(tx *store.Tx) error {
		if _, ok, err := tx.LiveGrant(t.Context(), aged.ID); err != nil || ok {
			t.Errorf("the grant is left: %v, %v", ok, err)
		}
		return nil
	})
}

// A step that fails holds up none of the others.
func TestPurge_FailingSteps(t *testing.T) {
	t.Parallel()
	now := clock.NewManual(time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC))
	a := open(t, settings(t, t.TempDir()), Options{Clock: now})
	t.Cleanup(func() { a.end(t) })
	left, aged := a.create(t, "left@example.org"), a.granted(t, "aged@example.org")
	if err := a.Store.Fill(t.Context(), func(conn *sql.Conn, tx *store.Tx) error {
		err := tx.InsertDeparture(t.Context(), account.Departure{AccountID: left.ID, LeftAt: now.Now(), EraseAt: now.Now().Add(time.Hour)})
		for _, table := range []string{"audit_chain", "account_end", "spent_ticket"} {
			_, failed := conn.ExecContext(t.Context(), "ALTER TABLE "+table+" RENAME TO away_"+table)
			err = errors.Join(err, failed)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	now.Advance(aged.ExpiresAt.Sub(now.Now()) + 7*24*time.Hour)
	if err := a.purge(t.Context()); err == nil {
		t.Error("the errors are not told")
	}
	if err := a.Store.Read(t.Context(), func(tx *store.Tx) error {
		_, there, err := tx.AccountByID(t.Context(), left.ID)
		_, granted, failed := tx.LiveGrant(t.Context(), aged.ID)
		if there || granted {
			t.Errorf("an account that was due is there (%v), and so is an old grant (%v)", there, granted)
		}
		return errors.Join(err, failed)
	}); err != nil {
		t.Fatal(err)
	}
}

// An account that cannot be read holds up no other, and the error names it.
func TestPurge_FailingAccount(t *testing.T) {
	t.Parallel()
	now := clock.NewManual(time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC))
	a := open(t, settings(t, t.TempDir()), Options{Clock: now})
	t.Cleanup(func() { a.end(t) })
	broken, ends, left := a.create(t, "broken@example.org"), a.create(t, "ends@example.org"), a.create(t, "left@example.org")
	if err := a.Store.Fill(t.Context(), func(conn *sql.Conn, tx *store.Tx) error {
		_, err := conn.ExecContext(t.Context(), "UPDATE account SET roles = 'broken' WHERE id = '"+broken.ID+"'")
		for id, at := range map[string]time.Time{broken.ID: now.Now().Add(time.Minute), ends.ID: now.Now().Add(time.Hour), left.ID: now.Now().Add(time.Hour)} {
			if id != left.ID {
				err = errors.Join(err, tx.UpdateEnd(t.Context(), id, at))
			}
			if id != ends.ID {
				err = errors.Join(err, tx.InsertDeparture(t.Context(), account.Departure{AccountID: id, LeftAt: now.Now(), EraseAt: at}))
			}
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	now.Advance(time.Hour)
	if err := a.purge(t.Context()); err == nil || strings.Count(err.Error(), "the account "+broken.ID) != 2 {
		t.Errorf("the error is %v", err)
	}
	if err := a.Store.Read(t.Context(), func(tx *store.Tx) error {
		ended, _, err := tx.AccountByID(t.Context(), ends.ID)
		_, there, failed := tx.AccountByID(t.Context(), left.ID)
		if ended.State != account.DisabledByOperator || there {
			t.Errorf("an account whose end has come is %s, and one that was to be erased is there: %v", ended.State, there)
		}
		return errors.Join(err, failed)
	}); err != nil {
		t.Fatal(err)
	}
}

// What fails every account, such as a table that is locked, does not keep the other steps waiting for all of them.
func TestEach_GivesUp(t *testing.T) {
	t.Parallel()
	a := open(t, settings(t, t.TempDir()), Options{})
	t.Cleanup(func() { a.end(t) })
	for _, test := range []struct{ works, want int }{{works: 1000, want: 10}, {works: 5, want: 50}} {
		tried := 0
		err := a.each(t.Context(), func(*store.Tx, context.Context, time.Time, int) ([]string, error) { return make([]string, 50), nil },
			func(context.Context, flow.Tx, string) error {
				if tried++; tried%test.works == 0 {
					return nil
				}
				return io.ErrUnexpectedEOF
			})
		if err == nil || tried != test.want {
			t.Errorf("if every account number %d works, %d are tried (%v), want %d", test.works, tried, err, test.want)
		}
	}
}

// granted returns a grant of a client for the session of a new account.
func (a *App) granted(t *testing.T, address string) openid.Grant {
	t.Helper()
	user := a.create(t, address)
	found, err := a.Flows.Session(t.Context(), a.signIn(t, address).Session)
	if err != nil {
		t.Fatal(err)
	}
	g := openid.Grant{
		ID: user.ID, ClientID: "rp", AccountID: user.ID, Version: user.Version, SessionID: found.Session.ID, SID: "sid", Scopes: []string{"openid"},
		RedirectURI: "https://rp.test/cb", SignedInAt: a.clock.Now(), CreatedAt: a.clock.Now(), ExpiresAt: a.clock.Now().Add(time.Minute),
	}
	err = a.Store.Write(t.Context(), func(tx *store.Tx) error {
		if err := tx.InsertGrant(t.Context(), g); err != nil {
			return err
		}
		_, err := tx.RedeemGrant(t.Context(), g.ID, "", a.clock.Now(), found.Session.ExpiresAt)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	g.ExpiresAt = found.Session.ExpiresAt
	return g
}

// What users have given a client that had registered itself does not outlive it.
func TestForgetClients(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	cfg.OpenID.Registration = true
	now := clock.NewManual(time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC))
	a := open(t, cfg, Options{Clock: now, Dist: dist()})
	t.Cleanup(func() { a.end(t) })
	a.mount(t)
	ctx, user := t.Context(), a.create(t, "mara@example.org")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	initial, _, err := a.Operator.AllowRegistrations(ctx, flow.ByOperator, 4, time.Hour)
	must(err)
	var made []openid.Registree
	for range 4 {
		r, err := a.OpenID.RegisterClient(ctx, flow.Caller{Peer: "192.0.2.1"}, initial, []byte(`{"redirect_uris":["https://app.test/cb"]}`))
		must(err)
		made = append(made, r)
		must(a.Store.Write(ctx, func(tx *store.Tx) error {
			return tx.SaveConsent(ctx, openid.Consent{AccountID: user.ID, ClientID: r.ID, Scopes: []string{"openid"}, GivenAt: now.Now()})
		}))
	}
	left := func(want ...openid.Registree) {
		t.Helper()
		must(a.forgetClients(ctx))
		apps, err := a.Owner.Apps(ctx, user.ID)
		must(err)
		for _, app := range apps {
			if !slices.ContainsFunc(want, func(r openid.Registree) bool { return r.ID == app.ID }) {
				t.Errorf("the account knows %s", app.ID)
			}
		}
		if len(apps) != len(want) {
			t.Errorf("the account knows %d apps, want %d", len(apps), len(want))
		}
	}
	left(made...)
	_, err = a.Operator.DeleteRegistered(ctx, flow.ByOperator, made[0].ID)
	must(err)
	left(made[1:]...)
	must(a.OpenID.EndRegistration(ctx, flow.Caller{Peer: "192.0.2.1"}, made[1].ID, made[1].AccessToken))
	left(made[2:]...)
	must(a.Store.Write(ctx, func(tx *store.Tx) error { return tx.KeepRegistered(ctx, made[3].ID, now.Now().Add(30*24*time.Hour)) }))
	now.Advance(8 * 24 * time.Hour) // made[2] was never used
	left(made[3])
	must(a.Store.Read(ctx, func(tx *store.Tx) error {
		ended, err := tx.EndedRegistered(ctx, now.Now())
		if len(ended) > 0 {
			t.Errorf("%v are there", ended)
		}
		return err
	}))
}
