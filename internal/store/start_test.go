package store_test

import (
	"context"
	"testing"

	"portico/internal/store"
	"portico/internal/store/engine"
	"portico/internal/store/sqlite"
)

// asked counts what the store asks about a database, and migrations.
type asked struct {
	engine.Engine
	facts, rights, alone int
}

func (a *asked) Facts(ctx context.Context) (engine.Facts, error) {
	a.facts++
	return a.Engine.Facts(ctx)
}

func (a *asked) Rights(ctx context.Context, f engine.Facts, failed error) error {
	a.rights++
	return a.Engine.Rights(ctx, f, failed)
}

// Alone takes the lock as a database server does: always.
func (a *asked) Alone(_ context.Context, _ bool, fn func() error) error { a.alone++; return fn() }

// A start asks a database about itself once for its purpose and once for its schema, and
// once more under the lock. An up-to-date schema is not asked by the migrations.
func TestMigrate_AsksOnce(t *testing.T) {
	t.Parallel()
	file, err := sqlite.Open(t.Context(), t.TempDir()+"/p.db", false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	if _, err := store.On(file).Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	a := &asked{Engine: file}
	s := store.On(a)
	if _, err := s.Purpose(t.Context()); err != nil || a.facts != 1 || a.rights != 1 {
		t.Errorf("the purpose: %d facts, %d rights, %v", a.facts, a.rights, err)
	}
	if applied, err := s.Migrate(t.Context()); err != nil || len(applied) > 0 || a.facts != 3 || a.rights != 2 || a.alone != 1 {
		t.Errorf("the migration: %v, %d facts, %d rights, %d locks, %v", applied, a.facts, a.rights, a.alone, err)
	}
}
