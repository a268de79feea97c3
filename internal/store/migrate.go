package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// ErrSchemaNewer says that a newer version of Portico has migrated the
// database: this one must not touch it.
var ErrSchemaNewer = errors.New("the database was migrated by a newer version of Portico: start that version, or restore a backup made before the upgrade")

// Migration is one change of the schema.
type Migration struct {
	Version int64  `json:"version"`
	File    string `json:"file"`
	Applied bool   `json:"applied"`
}

// Migrate brings the schema up to date and returns the files that it applied.
func (s *Store) Migrate(ctx context.Context) ([]string, error) {
	p, err := s.provider()
	if err != nil {
		return nil, err
	}
	status, err := p.Status(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the schema version: %w", err)
	}
	if err := s.refuseNewer(ctx, p, status); err != nil {
		return nil, err
	}
	results, err := p.Up(ctx)
	if err != nil {
		return nil, fmt.Errorf("migrate the database: %w", err)
	}
	files := make([]string, 0, len(results))
	for _, r := range results {
		files = append(files, r.Source.Path)
	}
	return files, nil
}

// Migrations lists the changes of the schema and which are applied.
func (s *Store) Migrations(ctx context.Context) ([]Migration, error) {
	p, err := s.provider()
	if err != nil {
		return nil, err
	}
	status, err := p.Status(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the schema version: %w", err)
	}
	all := make([]Migration, 0, len(status))
	for _, m := range status {
		all = append(all, Migration{Version: m.Source.Version, File: m.Source.Path, Applied: m.State == goose.StateApplied})
	}
	return all, nil
}

func (s *Store) refuseNewer(ctx context.Context, p *goose.Provider, status []*goose.MigrationStatus) error {
	version, err := p.GetDBVersion(ctx)
	if err != nil {
		return fmt.Errorf("read the schema version: %w", err)
	}
	if n := len(status); n > 0 && version > status[n-1].Source.Version {
		return ErrSchemaNewer
	}
	return nil
}

func (s *Store) provider() (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectSQLite3, s.writerDB, files)
}
