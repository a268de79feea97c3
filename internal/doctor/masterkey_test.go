package doctor

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"portico/internal/app"
	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/outbox"
	"portico/internal/secret"
	"portico/internal/store"
)

// changing returns settings with two key files.
func changing(t *testing.T) config.Config {
	t.Helper()
	cfg := made(t, settings(t, t.TempDir()))
	cfg.SecretNext = filepath.Join(filepath.Dir(cfg.SecretFile), "secret-2.key")
	if _, err := secret.CreateKey(cfg.SecretNext); err != nil {
		t.Fatal(err)
	}
	return cfg
}

// with runs fn with an App that does not serve.
func with(t *testing.T, cfg config.Config, fn func(a *app.App) error) {
	t.Helper()
	a, err := app.New(t.Context(), cfg, app.Options{Existing: true})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if err := fn(a); err != nil {
		t.Fatal(err)
	}
}

func rotate(t *testing.T, cfg config.Config, back bool) {
	t.Helper()
	with(t, cfg, func(a *app.App) error {
		_, err := a.ChangeKey(t.Context(), back, func(string) {})
		return err
	})
}

// The doctor says yes only when nothing needs the former key.
func TestMasterKey(t *testing.T) {
	t.Parallel()
	cfg := changing(t)
	expect(t, cfg, "secret_file", Warning, "secret.key belongs to this database, and the change to the next key has not begun")
	rotate(t, cfg, false)
	expect(t, cfg, "secret_file", OK, "secret-2.key belongs to this database, and the former key can go")

	// A row of a process that was late.
	former, err := secret.ReadKey(cfg.SecretFile)
	if err != nil {
		t.Fatal(err)
	}
	with(t, cfg, func(a *app.App) error {
		return a.Store.Write(t.Context(), func(tx *store.Tx) error {
			return tx.InsertMessage(t.Context(), outbox.Record{ID: "late", Template: "x", Payload: former.Box("outbox").Seal([]byte("{}"), "late")})
		})
	})
	expect(t, cfg, "secret_file", Warning, "the former key is still needed: rows sealed with it (1): run 'portico secret rotate'")
	rotate(t, cfg, false)
	expect(t, cfg, "secret_file", OK, "the former key can go")

	// A step that began before the change.
	back := cfg
	back.SecretFile, back.SecretNext = cfg.SecretNext, cfg.SecretFile
	with(t, back, func(a *app.App) error {
		u, err := a.Operator.CreateUser(t.Context(), flow.ByOperator, "ada@example.org", "", "copper lantern over seven hills")
		if err != nil {
			return err
		}
		_, _, err = a.Operator.AccountLink(t.Context(), flow.ByOperator, u)
		return err
	})
	rotate(t, back, true)
	expect(t, back, "secret_file", Warning, "the former key is still needed: sign-ups, resets and other steps with mailed codes from before the change (1)")

	// Missing and foreign files.
	one := cfg
	one.SecretNext = ""
	expect(t, one, "secret_file", OK, "is private and belongs to this database")
	same := cfg
	same.SecretNext = cfg.SecretFile
	expect(t, same, "secret_file", Warning, "have the same key")
	gone := cfg
	gone.SecretNext += ".gone"
	expect(t, gone, "secret_file", Failed, "portico secret new")
	foreign := cfg
	foreign.SecretFile, foreign.SecretNext = filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	for _, path := range []string{foreign.SecretFile, foreign.SecretNext} {
		if _, err := secret.CreateKey(path); err != nil {
			t.Fatal(err)
		}
	}
	expect(t, foreign, "secret_file", Failed, "neither the key in")
	empty := cfg
	empty.SecretNext = filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty.SecretNext, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	expect(t, empty, "secret_file", Failed, "is empty: restore it from your backup; if no database has used it yet, delete it and make a new one")
	folder := cfg
	folder.SecretFile = t.TempDir()
	expect(t, folder, "secret_file", Failed, "cannot be read (it is not a regular file): name another file")
	if err := os.Chmod(cfg.SecretNext, 0o644); err != nil {
		t.Fatal(err)
	}
	expect(t, cfg, "secret_file", Failed, "chmod 600")
}

// meanwhile does something when the database is asked.
type meanwhile struct {
	context.Context
	do func()
}

func (m meanwhile) Done() <-chan struct{} { m.do(); return m.Context.Done() }

// A key file goes away after it was read.
func TestMasterKey_FileGoesAway(t *testing.T) {
	t.Parallel()
	cfg := changing(t)
	key, err := secret.ReadKey(cfg.SecretFile)
	if err != nil {
		t.Fatal(err)
	}
	d, r := newDoctor(t.Context(), cfg), &report{check: "secret_file"}
	defer d.close()
	d.secondKey(meanwhile{t.Context(), func() { _ = os.Remove(cfg.SecretFile) }}, r, d.database(), app.KeyCheck(key))
	holds(t, r.found, "secret_file", Warning, "secret.key belongs to this database, and the change to the next key has not begun")
	if _, err := os.Stat(cfg.SecretFile); err == nil {
		t.Error("the file is still there")
	}
}

// A change that was interrupted needs the former key.
func TestMasterKey_Incomplete(t *testing.T) {
	t.Parallel()
	cfg := changing(t)
	rotate(t, cfg, false)
	with(t, cfg, func(a *app.App) error {
		return a.Store.Write(t.Context(), func(tx *store.Tx) error {
			formers, err := tx.FormerKeys(t.Context())
			if err != nil {
				return err
			}
			f := formers[0]
			f.DoneAt = time.Time{}
			return tx.SaveFormerKey(t.Context(), f)
		})
	})
	expect(t, cfg, "secret_file", Warning, "the change is not complete")
	cfg.SecretFile, cfg.SecretNext = cfg.SecretNext, ""
	expect(t, cfg, "secret_file", Failed, "does not name the former key")
}
