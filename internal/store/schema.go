package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"portico/internal/store/sqlite"
)

// checkSchema refuses a SQLite database whose schema differs from the one that
// the migrations up to its version make. A foreign trigger would run with the
// next write, and a view could stand in for a table. It makes a database at the
// path scratch to compare with.
func (s *Store) checkSchema(ctx context.Context, file *sqlite.DB, scratch string) error {
	p, err := s.provider()
	if err != nil {
		return err
	}
	version, err := s.version(ctx, p)
	if errors.Is(err, ErrUnreleased) {
		return ErrUnreleased // the advice is about a database in use
	}
	if err != nil {
		return err
	}
	want, err := schemaAt(ctx, version, scratch)
	if err != nil {
		return err
	}
	got, err := file.Objects(ctx)
	if err != nil {
		return err
	}
	for _, o := range got {
		if !slices.Contains(want, o) {
			return fmt.Errorf("its %s %q is not one that Portico makes: another program has changed this file, so use another copy", o.Kind, o.Name)
		}
	}
	for _, o := range want {
		if !slices.Contains(got, o) {
			return fmt.Errorf("it lacks the %s %q: use another copy", o.Kind, o.Name)
		}
	}
	return nil
}

// schemaAt returns what the migrations up to the version make.
func schemaAt(ctx context.Context, version int64, scratch string) (objects []sqlite.Object, err error) {
	sqlite.Remove(scratch)
	defer sqlite.Remove(scratch)
	file, err := sqlite.Open(ctx, scratch, false)
	if err != nil {
		return nil, err
	}
	s := On(file)
	defer func() { err = errors.Join(err, s.Close()) }()
	p, err := s.provider()
	if err != nil {
		return nil, err
	}
	if version > 0 {
		if _, err := p.UpTo(ctx, version); err != nil {
			return nil, fmt.Errorf("make the schema %d to compare with: %w", version, err)
		}
	}
	return file.Objects(ctx)
}
