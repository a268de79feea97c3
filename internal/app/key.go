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

// openKey reads the master key. On SQLite the first start makes it; a key is
// never made beside data that another one protects. Processes that start at
// the same time get the same key.
func openKey(ctx context.Context, cfg config.Config, s *store.Store) (*secret.Key, error) {
	used := false // looked at before the key, which is made before the data
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

// KeyCheck returns what a database keeps to know its key again.
func KeyCheck(key *secret.Key) []byte { return key.MAC("installation").Sum("check") }

// checkKey refuses a key that is not the one of the database. A new database
// gets both the key and its purpose here, before there are people.
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
