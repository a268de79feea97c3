package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"portico/internal/config"
	"portico/internal/secret"
	"portico/internal/store"
)

// openKey reads the master key. With SQLite, the first start creates it.
// openKey never creates a key for a database that already has another one.
// Processes that start at the same time get the same key.
func openKey(ctx context.Context, cfg config.Config, s *store.Store) (*secret.Key, error) {
	used := false // read before the key: another process creates the key first, then the data
	err := s.Read(ctx, func(tx *store.Tx) (err error) {
		_, used, err = tx.KeyCheck(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	key, err := secret.ReadKey(cfg.SecretFile)
	switch {
	case !errors.Is(err, secret.ErrNoKey):
		return key, err
	case !strings.HasPrefix(cfg.DatabaseURL, "sqlite:"):
		return nil, fmt.Errorf("the key file %s does not exist: make it once with 'portico config new-key' and give it to every node", cfg.SecretFile)
	case used:
		return nil, fmt.Errorf("the key file %s does not exist, but the database %s does: restore the key from your backup, since another one cannot open what the database holds",
			cfg.SecretFile, strings.TrimPrefix(cfg.DatabaseURL, "sqlite:"))
	}
	if key, err = secret.CreateKey(cfg.SecretFile); errors.Is(err, fs.ErrExist) {
		return secret.ReadKey(cfg.SecretFile)
	}
	return key, err
}

// KeyCheck returns the value that a database stores to recognize its key.
func KeyCheck(key *secret.Key) []byte { return key.MAC("installation").Sum("check") }

// checkKey returns an error if key is not the key of the database. It stores
// the key check and the purpose in a new database, before any account exists.
func checkKey(ctx context.Context, s *store.Store, key *secret.Key, file string, purpose store.Purpose) error {
	var same bool
	err := s.Write(ctx, func(tx *store.Tx) (err error) {
		same, err = tx.KeepKeyCheck(ctx, KeyCheck(key), purpose)
		return err
	})
	if err == nil && !same {
		err = fmt.Errorf("the key in %s is not the one that this database was made with: restore the right key from your backup", file)
	}
	return err
}
