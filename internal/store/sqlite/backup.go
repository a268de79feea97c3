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
	err := fs.ErrExist
	if _, missing := os.Lstat(path); missing != nil {
		err = s.copyTo(ctx, path, file.PutNew)
	}
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("write the backup %s: %w: choose another name", path, fs.ErrExist)
	}
	return err
}

// copyTo writes a consistent copy to a file of its own, which put then names.
func (s *DB) copyTo(ctx context.Context, path string, put func(part, path string) error) error {
	folder := filepath.Dir(path)
	f, err := file.Part(folder) // first, so that it is private whatever the umask
	if err != nil {
		return fmt.Errorf("write the backup: %w: name a file in a folder that this user may write", file.Plain(err))
	}
	defer os.Remove(f.Name())
	defer f.Close()
	db, err := OpenPool(s.path, []string{"busy_timeout(5000)"}, 1)
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, `VACUUM INTO ?1`, f.Name()); err != nil {
		return s.Explain(fmt.Errorf("write the backup: %w", err))
	}
	if err := markCopy(ctx, f.Name()); err != nil {
		return fmt.Errorf("write the backup: %w", err)
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("write the backup: %w", err)
	}
	if err := put(f.Name(), path); err != nil {
		return fmt.Errorf("write the backup: %w", err)
	}
	return file.Sync(folder)
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
