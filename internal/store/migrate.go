package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/pressly/goose/v3"

	"portico/internal/clock"
	"portico/internal/store/engine"
)

// One list for both engines.
//
//go:embed migrations/*.sql
var migrations embed.FS

const (
	// lockAgain is the pause before a migration that met a lock is tried again.
	lockAgain = 500 * time.Millisecond
	// lockMost bounds these attempts: a dump may hold a table for hours.
	lockMost = time.Minute

	// peopleMigration makes the tables that IndexFirst fills.
	peopleMigration = "0002_people.sql"
	// fillMost bounds how long many accounts delay the start. The background work goes on.
	fillMost = 10 * time.Second
)

// ErrSchemaNewer says that a newer version of Portico has migrated the
// database: this one must not touch it.
var ErrSchemaNewer = errors.New("the database was migrated by a newer version of Portico")

// ErrUnreleased says that the database is older than the first version.
var ErrUnreleased = errors.New("this database was made before 0.1.0, and no version can use it")

// Migration is one change of the schema.
type Migration struct {
	Version int64  `json:"version"`
	File    string `json:"file"`
	Applied bool   `json:"applied"`
}

// Migrate brings the schema up to date and returns the files that it applied.
// Processes that start at the same time may all call it: one migrates, and the
// others wait for it. A SQLite database is not migrated under a process that
// serves it (ErrInUse), and a copy of it is kept before anything changes.
func (s *Store) Migrate(ctx context.Context) ([]string, error) {
	p, err := s.provider()
	if err != nil {
		return nil, err
	}
	f, err := s.usable(ctx, p)
	if err != nil {
		return nil, err
	}
	files := []string{}
	err = s.engine.Alone(ctx, f.Schema < f.Newest, func() error {
		version, err := s.version(ctx, p) // again, because another process may have migrated
		if err == nil && 0 < version && version < f.Newest {
			err = s.engine.Keep(ctx, version)
		}
		if err != nil || version == f.Newest {
			return s.engine.Explain(err)
		}
		files, err = s.migrate(ctx, p, version)
		return err
	})
	return files, err
}

// migrate applies what is pending after a version. A migration fails when another process has
// applied it meanwhile, or while other nodes hold a table. migrate continues
// after the first, and retries the second.
func (s *Store) migrate(ctx context.Context, p *goose.Provider, before int64) ([]string, error) {
	files := []string{}
	for began := clock.Here(); ; {
		applied, failure := p.Up(ctx)
		if partial, ok := errors.AsType[*goose.PartialError](failure); ok {
			applied = partial.Applied
		}
		for _, r := range applied {
			files = append(files, r.Source.Path)
		}
		if failure == nil && slices.Contains(files, peopleMigration) {
			failure = s.IndexFirst(ctx, fillMost)
		}
		if failure == nil {
			return files, nil
		}
		after, err := s.version(ctx, p)
		kept := s.engine.Contested(failure)
		switch {
		case err == nil && after > before:
			before = after
		case err == nil && kept && began.Age() < lockMost && rest(ctx, lockAgain):
		default:
			if kept {
				failure = fmt.Errorf("others held a table for %s, as a dump does: start again when it has ended: %w", lockMost, failure)
			}
			return files, s.engine.Explain(fmt.Errorf("migrate the database: %w", failure))
		}
	}
}

// rest waits, and reports whether the context still lives.
func rest(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// Migrations lists the changes of the schema and which are applied.
func (s *Store) Migrations(ctx context.Context) ([]Migration, error) {
	p, err := s.provider()
	if err != nil {
		return nil, err
	}
	var status []*goose.MigrationStatus
	f, err := s.facts(ctx, p)
	if err == nil {
		err = s.Bears(f)
	}
	if err == nil {
		status, err = p.Status(ctx)
	}
	if err != nil {
		return nil, s.engine.Explain(s.engine.Rights(ctx, f, err))
	}
	all := make([]Migration, 0, len(status))
	for _, m := range status {
		all = append(all, Migration{Version: m.Source.Version, File: m.Source.Path, Applied: m.State == goose.StateApplied})
	}
	return all, nil
}

// version returns the version of the schema, or an error of Bears.
func (s *Store) version(ctx context.Context, p *goose.Provider) (int64, error) {
	f, err := s.facts(ctx, p)
	if err != nil {
		return 0, err
	}
	return f.Schema, s.Bears(f)
}

// Bears returns ErrSchemaNewer or ErrUnreleased with what to do when this program
// must not touch a database with these facts.
func (s *Store) Bears(f Facts) error {
	switch {
	case f.Unreleased:
		return fmt.Errorf("%w: %s", ErrUnreleased, s.engine.Anew())
	case f.Schema > f.Newest:
		return fmt.Errorf("%w (its schema is %d, this one knows %d): start that version, or go back to %s", ErrSchemaNewer, f.Schema, f.Newest, s.engine.WayBack(f.Newest))
	}
	return nil
}

// newest returns the version that this program migrates to.
func newest(p *goose.Provider) int64 {
	all := p.ListSources()
	return all[len(all)-1].Version
}

func (s *Store) provider() (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	dialect, db := s.engine.Schema()
	return goose.NewProvider(dialect, db, files, goose.WithTableName(engine.VersionTable))
}

// MigrateCopy migrates a database without a lock: no other process knows of it,
// or the caller holds the lock (engine.Engine.Alone).
func (s *Store) MigrateCopy(ctx context.Context) error {
	p, err := s.provider()
	if err != nil {
		return err
	}
	version, err := s.version(ctx, p)
	if err != nil {
		return s.engine.Explain(err)
	}
	_, err = s.migrate(ctx, p, version)
	return err
}
