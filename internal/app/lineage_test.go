package app

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"portico/internal/store"
	"portico/internal/store/pgtest"
)

// A running node follows a failover. It keeps the former name of a database that was set back, also when the
// new name cannot be read at first.
func TestLookAround(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	if !onSQLite(cfg) {
		cfg.DatabaseURL = pgtest.Patient(pgtest.Plain(cfg.DatabaseURL) + "&search_path=public,pg_catalog")
	}
	var log bytes.Buffer
	a := open(t, cfg, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	defer a.end(t)
	write := func(fn func(tx *store.Tx) error) {
		t.Helper()
		if err := a.Store.Write(t.Context(), fn); err != nil {
			t.Fatal(err)
		}
	}
	look := func(what string, setBack bool) {
		t.Helper()
		if err := a.lookAround(t.Context()); err != nil {
			t.Fatal(err)
		}
		if open, err := Unfinished(t.Context(), a.Store); err != nil || open != setBack || strings.Contains(log.String(), unfinished) != setBack {
			t.Errorf("%s: it is set back: %v, want %v (%v)\n%s", what, open, setBack, err, &log)
		}
	}
	renamed := func() { // the name of before is another one
		t.Helper()
		a.lineage = "former"
		write(func(tx *store.Tx) error { return tx.KeepLineage(t.Context(), "former") })
	}
	if err := a.noteLineage(t.Context()); err != nil {
		t.Fatal(err)
	}
	look("the first look", false)
	look("the second look", false)
	rows, err := a.nodeRows(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	look("before", false)
	renamed()
	look("a failover", false)
	renamed()
	write(func(tx *store.Tx) error { return tx.SaveNode(t.Context(), rows[0]) })
	if !onSQLite(cfg) {
		pgtest.Exec(t, cfg.DatabaseURL, `CREATE FUNCTION public.pg_control_system() RETURNS TABLE (system_identifier bigint) LANGUAGE plpgsql AS
			$$BEGIN RAISE EXCEPTION 'away' USING ERRCODE = '58030'; END$$`)
		if err := a.lookAround(t.Context()); err == nil {
			t.Error("the name was read")
		}
		pgtest.Exec(t, cfg.DatabaseURL, `DROP FUNCTION public.pg_control_system()`)
	}
	look("set back", true)

	log.Reset()
	write(func(tx *store.Tx) error { return tx.KeepLineage(t.Context(), a.lineage) })
	look("finished", false)
	isBack := func() {
		t.Helper()
		write(func(tx *store.Tx) error { return tx.SaveNode(t.Context(), rows[0]) })
		look("set back under the same name", false)
	}
	isBack()
	look("the next look", false)
	renamed()
	look("a failover after it", false)
	isBack()
	renamed()
	look("set back after the name was read", true)
}
