package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"portico/internal/config"
	"portico/internal/secret"
	"portico/internal/store"
)

// openKey reads the master key. On SQLite the first start makes it; a key is
// never made beside data that another one protects.
func openKey(cfg config.Config) (*secret.Key, error) {
	key, err := secret.ReadKey(cfg.SecretFile)
	if !errors.Is(err, secret.ErrNoKey) {
		return key, err
	}
	path, ok := strings.CutPrefix(cfg.DatabaseURL, "sqlite:")
	if !ok {
		return nil, fmt.Errorf("the key file %s does not exist: make it once with 'portico config new-key' and give it to every node", cfg.SecretFile)
	}
	if info, err := os.Stat(path); err == nil && info.Size() > 0 {
		return nil, fmt.Errorf("the key file %s does not exist, but the database %s does: restore the key from your backup, since another one cannot open what the database holds", cfg.SecretFile, path)
	}
	return secret.CreateKey(cfg.SecretFile)
}

// checkKey refuses a key that is not the one of the database.
func checkKey(ctx context.Context, s *store.Store, key *secret.Key, file string) error {
	var same bool
	err := s.Write(ctx, func(tx *store.Tx) (err error) {
		same, err = tx.KeepKeyCheck(ctx, key.MAC("installation").Sum("check"))
		return err
	})
	if err == nil && !same {
		err = fmt.Errorf("the key in %s is not the one that this database was made with: restore the right key from your backup", file)
	}
	return err
}
