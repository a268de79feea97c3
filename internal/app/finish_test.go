package app

import (
	"database/sql"
	"errors"
	"slices"
	"testing"
	"time"

	"portico/internal/audit"
	"portico/internal/cluster"
	"portico/internal/flow"
	"portico/internal/store"
)

// FinishRestore turns off once what would happen again, and only in a database that was
// restored. The doctor's question has the same answer.
func TestFinishRestore(t *testing.T) {
	t.Parallel()
	a := open(t, settings(t, t.TempDir()), Options{})
	defer a.end(t)
	if err := a.noteLineage(t.Context()); err != nil {
		t.Fatal(err)
	}
	finish := func(options FinishOptions, done bool, mails int64) {
		t.Helper()
		f, err := a.FinishRestore(t.Context(), options, func(string) {})
		if err != nil || f.Done != done || f.Mails != mails {
			t.Errorf("%+v, %v; want %v with %d emails", f, err, done, mails)
		}
		if open, err := Unfinished(t.Context(), a.Store); open || err != nil {
			t.Errorf("it is not finished (%v)", err)
		}
	}
	comesFromACopy := func() {
		t.Helper()
		err := a.Store.Write(t.Context(), func(tx *store.Tx) error { return tx.KeepLineage(t.Context(), "another copy") })
		if err != nil {
			t.Fatal(err)
		}
		if open, err := Unfinished(t.Context(), a.Store); !open || err != nil {
			t.Errorf("the copy is not noticed (%v)", err)
		}
		if err := a.noteLineage(t.Context()); err != nil { // a start does not make it good
			t.Fatal(err)
		}
	}
	mara := a.create(t, "mara@example.org")
	sessions := func(want int) {
		t.Helper()
		err := a.Store.Read(t.Context(), func(tx *store.Tx) error {
			list, err := tx.SessionsOf(t.Context(), mara.ID, time.Now())
			if len(list) != want {
				t.Errorf("there are %d sessions, want %d", len(list), want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	killed := func() {
		t.Helper()
		err := a.Store.Write(t.Context(), func(tx *store.Tx) error { return tx.SaveNode(t.Context(), cluster.NodeRow{ID: "killed"}) })
		if err != nil {
			t.Fatal(err)
		}
	}
	began := func() {
		t.Helper()
		_, err := a.Flows.SignUp(t.Context(), flow.Caller{Peer: "192.0.2.1", Locale: "en"}, flow.SignUpInput{Email: "v@example.org", Password: good, Confirm: good})
		if err != nil {
			t.Fatal(err)
		}
	}

	began()
	finish(FinishOptions{}, false, 0)
	comesFromACopy()
	if onSQLite(a.Config) { // on PostgreSQL it waits for the node's next beat
		killed()
	}
	finish(FinishOptions{NothingLost: true}, true, 0)
	if rows, err := a.nodeRows(t.Context()); len(rows) > 0 || err != nil {
		t.Errorf("there are nodes: %v, %v", rows, err)
	}
	comesFromACopy()
	finish(FinishOptions{}, true, 1)
	finish(FinishOptions{}, false, 0)
	finish(FinishOptions{Force: true}, true, 0)
	a.signIn(t, "mara@example.org")
	comesFromACopy()
	finish(FinishOptions{NothingLost: true}, true, 0)
	sessions(1)
	finish(FinishOptions{Force: true}, true, 1)
	sessions(1)
	finish(FinishOptions{Force: true, EndSessions: true}, true, 0)
	sessions(0)
	err := a.Store.Read(t.Context(), func(tx *store.Tx) error {
		facts, err := tx.FactsOf(t.Context(), "", "", 9)
		facts = slices.DeleteFunc(facts, func(f audit.Fact) bool { return f.Name != audit.Restored || f.Actor != "operator" })
		if len(facts) != 4 {
			t.Errorf("the records are %+v", facts)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// It changes nothing while a server has the database.
func TestFinishRestore_NotWhileServed(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	needSQLite(t, cfg) // nodes of PostgreSQL are looked for by their rows
	serves := open(t, cfg, Options{})
	defer serves.end(t)
	if err := serves.Claim(); err != nil {
		t.Fatal(err)
	}
	a := open(t, cfg, Options{})
	defer a.end(t)
	if f, err := a.FinishRestore(t.Context(), FinishOptions{Force: true}, func(string) {}); f.Done || !errors.Is(err, store.ErrInUse) {
		t.Errorf("%+v, %v", f, err)
	}
}

// It takes as long as a large database needs: the server ends none of its statements.
func TestFinishRestore_WithoutTimeLimit(t *testing.T) {
	t.Parallel()
	a := open(t, settingsOnPostgres(t), Options{})
	defer a.end(t)
	if err := a.noteLineage(t.Context()); err != nil {
		t.Fatal(err)
	}
	err := a.Store.Fill(t.Context(), func(conn *sql.Conn, _ *store.Tx) error {
		_, err := conn.ExecContext(t.Context(), `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
				$$BEGIN RAISE EXCEPTION 'statement_timeout is %', current_setting('statement_timeout'); END$$;
			CREATE TRIGGER limited BEFORE UPDATE ON installation FOR EACH ROW WHEN (current_setting('statement_timeout') <> '0') EXECUTE FUNCTION refuse()`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if f, err := a.FinishRestore(t.Context(), FinishOptions{Force: true}, func(string) {}); err != nil || !f.Done {
		t.Errorf("%+v, %v", f, err)
	}
}
