package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"portico/internal/file"
)

// Backup implements engine.Engine.
func (s *DB) Backup(ctx context.Context, path string) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("write the backup %s: %w: choose another name", path, fs.ErrExist)
	}
	return s.copyTo(ctx, path)
}

// copyTo writes a consistent copy to path, in place of a file that is there.
func (s *DB) copyTo(ctx context.Context, path string) error {
	part := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".part")
	if err := os.Remove(part); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("write the backup: %w", err)
	}
	// The file is made first, so that it is private whatever the umask.
	f, err := file.New(part, 0o600)
	if err != nil {
		return fmt.Errorf("write the backup: %w", err)
	}
	defer os.Remove(part)
	defer f.Close()
	db, err := OpenPool(s.path, []string{"busy_timeout(5000)"}, 1)
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, `VACUUM INTO ?1`, part); err != nil {
		return s.Explain(fmt.Errorf("write the backup: %w", err))
	}
	if err := markCopy(ctx, part); err != nil {
		return fmt.Errorf("write the backup: %w", err)
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("write the backup: %w", err)
	}
	return os.Rename(part, path)
}

// markCopy lets a copy say that it is one, until 'portico restore' puts it in place: an operator
// may copy the file there by hand. A database that was never used has no room for that.
func markCopy(ctx context.Context, path string) error {
	db, err := OpenPool(path, nil, 1)
	if err != nil {
		return err
	}
	defer db.Close()
	used, err := finds(ctx, db, `SELECT 1 FROM sqlite_schema WHERE name = 'installation'`)
	if err == nil && used {
		_, err = db.ExecContext(ctx, `UPDATE installation SET lineage = 'backup'`)
	}
	return err
}
