package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"portico/internal/file"
)

// Restore puts a copy that Backup has made at the path of a database. It returns
// the name under which it keeps a database that was there. prepare gets the path
// of the checked copy before it is put in place; when prepare fails, nothing has
// happened. store.Restore says which errors there are.
func Restore(ctx context.Context, path, backup string, replace bool, prepare func(part string) error) (kept string, err error) {
	if err := file.NewFolders(filepath.Dir(path)); err != nil {
		return "", fmt.Errorf("create the folder of the database: %w", err)
	}
	claim, err := claimFile(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, claim.Close()) }()
	if err := file.Check(backup); err != nil {
		return "", fmt.Errorf("the copy %w: name a file that 'portico backup' made and this user can read", file.Plain(err))
	}
	_, missing := os.Lstat(path)
	if missing == nil && !replace {
		return "", fmt.Errorf("restore to %s: %w: use --replace to put the copy in its place", path, fs.ErrExist)
	}
	part := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".part")
	defer Remove(part)
	if err := takeCopy(ctx, backup, part, prepare); err != nil {
		return "", err
	}
	if missing == nil {
		if kept, err = setAside(path); err != nil {
			return "", fmt.Errorf("keep the existing database: %w", err)
		}
	}
	if err := os.Rename(part, path); err != nil {
		return kept, fmt.Errorf("restore to %s: %w", path, err)
	}
	return kept, file.Sync(filepath.Dir(path))
}

// takeCopy makes part a checked and prepared database with the content of backup.
func takeCopy(ctx context.Context, backup, part string, prepare func(part string) error) error {
	Remove(part)
	if err := copyDatabase(backup, part); err != nil {
		return fmt.Errorf("read the copy: %w", err)
	}
	if err := checkDatabase(ctx, part); err != nil {
		return fmt.Errorf("%s cannot be restored: %w", backup, err)
	}
	if err := prepare(part); err != nil {
		return err
	}
	return file.Sync(part) // closing has put everything into the one file
}

// checkDatabase reads the whole file, so that damage is found now and not at a
// sign-in.
func checkDatabase(ctx context.Context, path string) error {
	db, err := OpenPool(path, []string{"busy_timeout(5000)", "trusted_schema(0)"}, 1)
	if err != nil {
		return err
	}
	defer db.Close()
	var found string
	if err := db.QueryRowContext(ctx, `PRAGMA integrity_check(1)`).Scan(&found); err != nil {
		return err
	}
	if found != "ok" {
		return fmt.Errorf("it is damaged: %s", strings.Join(strings.Fields(found), " "))
	}
	ours, err := finds(ctx, db, `PRAGMA table_info(account)`)
	if err != nil {
		return err
	}
	if !ours {
		return errors.New("it is not a database of Portico")
	}
	orphans, err := finds(ctx, db, `PRAGMA foreign_key_check`)
	if err == nil && orphans {
		err = errors.New("it is damaged: rows refer to rows that are missing")
	}
	return err
}

// finds reports whether a query has a row.
func finds(ctx context.Context, db *sql.DB, query string) (bool, error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	return rows.Next(), rows.Err()
}

// setAside renames the files of a database. Where the disk has hard links, the path always
// has a file. The log moves, because SQLite would apply it to the next database at the path.
func setAside(path string) (string, error) {
	kept := path + ".replaced-" + time.Now().UTC().Format("20060102T150405.000Z")
	if err := file.PutNew(path, kept); err != nil {
		return "", err
	}
	if err := os.Rename(path+"-wal", kept+"-wal"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err := os.Remove(path + "-shm"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return kept, nil
}

// copyDatabase copies a database, and its log if a server was using it.
func copyDatabase(from, to string) error {
	if err := copyPrivate(from, to); err != nil {
		return err
	}
	if err := copyPrivate(from+"-wal", to+"-wal"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func copyPrivate(from, to string) error {
	in, _, err := file.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := file.New(to, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// Remove deletes a database with its log.
func Remove(path string) {
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		_ = os.Remove(name)
	}
}
