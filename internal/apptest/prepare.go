package apptest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/internal/clock"
	"portico/internal/config"
	"portico/internal/secret"
	"portico/internal/signingkey"
	"portico/internal/store"
	"portico/internal/store/sqlitetest"
)

// Prepare makes the data of a new installation for the configuration: the schema, a master key,
// and signing keys that sign from Began. All installations of a process have the same keys, and
// their password hashes cost little: both would take most of the time of the tests.
func Prepare(t testing.TB, cfg *config.Config) {
	t.Helper()
	cfg.Hashing.MemoryMiB, cfg.Hashing.Passes = 1, 1
	k, err := keysOfProcess()
	if err == nil {
		err = os.WriteFile(cfg.SecretFile, k.master, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if path, ok := strings.CutPrefix(cfg.DatabaseURL, "sqlite:"); ok {
		sqlitetest.Write(t, path)
	}
	db, err := store.Open(t.Context(), store.Config{URL: cfg.DatabaseURL})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Write(t.Context(), func(tx *store.Tx) (failed error) {
		for _, key := range k.signing {
			_, err := tx.InsertSigningKey(t.Context(), key)
			failed = errors.Join(failed, err)
		}
		return failed
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

// Began returns the time at which a Site starts.
func Began() time.Time { return time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC) }

// keys is the content of a key file, and the signing keys that it seals.
type keys struct {
	master  []byte
	signing []signingkey.Key
}

var keysOfProcess = sync.OnceValues(func() (k keys, err error) {
	folder, err := os.MkdirTemp("", "portico-keys-")
	if err != nil {
		return keys{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	file := filepath.Join(folder, "key")
	master, err := secret.CreateKey(file)
	if err != nil {
		return keys{}, err
	}
	if k.master, err = os.ReadFile(file); err != nil {
		return keys{}, err
	}
	keeper := signingkey.NewKeeper(signingkey.Config{Clock: clock.NewManual(Began()), Box: master.Box("keys"), Algorithms: []string{"RS256"}})
	_, err = keeper.Renew(context.Background(), noted{&k.signing})
	return k, err
})

// noted is a signingkey.Store of a new installation.
type noted struct{ list *[]signingkey.Key }

func (n noted) SigningKeys(context.Context) ([]signingkey.Key, error) { return nil, nil }

func (n noted) InsertSigningKey(_ context.Context, k signingkey.Key) (bool, error) {
	*n.list = append(*n.list, k)
	return true, nil
}

func (n noted) RevokeSigningKey(context.Context, string, time.Time) (bool, error) { return false, nil }

func (n noted) DeleteSigningKeys(context.Context, int64, int64) error { return nil }
