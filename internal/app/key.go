package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"portico/internal/config"
	"portico/internal/masterkey"
	"portico/internal/secret"
	"portico/internal/store"
)

// openKey reads the master key, and the second one. With SQLite, the first start creates it.
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
	key, err := ReadKeys(cfg)
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

// ReadKeys reads the master key of the settings, and the second one if they name
// its file. It returns secret.ErrNoKey if the first file is missing.
func ReadKeys(cfg config.Config) (*secret.Key, error) {
	key, err := secret.ReadKey(cfg.SecretFile)
	if err != nil || cfg.SecretNext == "" {
		return key, err
	}
	next, err := secret.ReadKey(cfg.SecretNext)
	if errors.Is(err, secret.ErrNoKey) {
		return nil, fmt.Errorf("the key file %s of secret_next_file does not exist: make it with 'portico secret new', or copy it from another node", cfg.SecretNext)
	}
	if err != nil {
		return nil, err
	}
	return key.With(next), nil
}

// KeyCheck returns the value that a database stores to recognize its key.
func KeyCheck(key *secret.Key) []byte { return key.MAC("installation").Sum("check") }

// UseChecked makes the key that matches the stored check value the current one, and reports
// whether the set has it.
func UseChecked(key *secret.Key, check []byte) bool {
	for i, sum := range key.MAC("installation").Sums("check") {
		if bytes.Equal(sum, check) {
			return key.Use(key.IDs()[i])
		}
	}
	return false
}

// checkKey returns an error if key is not the key of the database, or if a change
// of the key needs the former one. It makes the key of the database the current
// one. It stores the key check and the purpose in a new database, before any account
// exists.
func checkKey(ctx context.Context, s *store.Store, key *secret.Key, file string, purpose store.Purpose) error {
	var check []byte
	var formers []masterkey.Former
	err := s.Write(ctx, func(tx *store.Tx) (err error) {
		if _, err = tx.KeepKeyCheck(ctx, KeyCheck(key), purpose); err != nil {
			return err
		}
		if check, _, err = tx.KeyCheck(ctx); err != nil {
			return err
		}
		formers, err = tx.FormerKeys(ctx)
		return err
	})
	switch {
	case err != nil:
		return err
	case !UseChecked(key, check) && len(formers) > 0:
		return fmt.Errorf("the key in %s is not the one of this database, whose master key was changed at %s: put the new key at secret_next_file, or restore it from your backup",
			file, formers[0].ChangedAt.Format(time.RFC3339))
	case !UseChecked(key, check):
		return fmt.Errorf("the key in %s is not the one that this database was made with: restore the right key from your backup", file)
	case len(formers) > 0 && formers[0].DoneAt.IsZero() && !slices.Contains(key.IDs(), formers[0].ID):
		return fmt.Errorf("the change of the master key is not complete, and secret_next_file does not name the former key %s: put its file back, and run 'portico secret rotate'", formers[0].ID)
	}
	return nil
}

// rememberFormers lets Portico verify password hashes of former keys.
func (a *App) rememberFormers(ctx context.Context) error {
	formers, err := a.formers(ctx)
	for _, f := range formers {
		if bad := a.hashing.Remember(f.ID, f.Pepper); bad != nil && err == nil {
			err = fmt.Errorf("the key of the password hashes of the former key %s: %w", f.ID, bad)
		}
	}
	return err
}

// followKey makes the key of the database the current one. Another process may have changed
// it. ChangeKey waits for registered processes only, so it registers first.
func (a *App) followKey(ctx context.Context) error {
	a.keying.Lock()
	defer a.keying.Unlock()
	unregistered := a.register(ctx)
	var check []byte
	err := a.Store.Read(ctx, func(tx *store.Tx) (err error) {
		check, _, err = tx.KeyCheck(ctx)
		return err
	})
	switch {
	case err != nil:
		return err
	case bytes.Equal(check, KeyCheck(a.key)):
		return unregistered
	case !UseChecked(a.key, check):
		return errors.New("the master key of the database was changed to one that this node does not have: name its file in secret_next_file, and reload")
	}
	a.log.Info("the master key has changed", "key", a.key.ID())
	return a.register(ctx)
}

// register says what keys this process has, unless it has said so. On PostgreSQL, comparing
// the settings does so.
func (a *App) register(ctx context.Context) error {
	ids := a.key.IDs()
	if a.Store.Shared() || slices.Equal(ids, a.registered) {
		return nil
	}
	err := a.Store.Write(ctx, func(tx *store.Tx) error { return a.node.Register(ctx, tx) })
	if err == nil {
		a.registered = ids
	}
	return err
}

// startKey follows the master key, which may have changed since New.
func (a *App) startKey(ctx context.Context, work *sync.WaitGroup) {
	a.report("follow the master key", a.followKey(ctx))
	a.repeat(ctx, work, keysEvery, "follow the master key", a.followKey)
	if !a.Store.Shared() {
		work.Go(func() {
			<-ctx.Done()
			ctx := context.WithoutCancel(ctx)
			a.report("remove this process from the list of nodes", a.Store.Write(ctx, func(tx *store.Tx) error { return a.node.Leave(ctx, tx) }))
		})
	}
}

// renewKey prepares replacing the key by the key of other settings.
func (a *App) renewKey(ctx context.Context, cfg config.Config) (replace func(context.Context) error, err error) {
	key, err := ReadKeys(cfg)
	if errors.Is(err, secret.ErrNoKey) {
		err = fmt.Errorf("secret_file: the key file %s does not exist", cfg.SecretFile)
	}
	if err != nil {
		return nil, err
	}
	if slices.Equal(slices.Sorted(slices.Values(key.IDs())), slices.Sorted(slices.Values(a.key.IDs()))) {
		return func(context.Context) error { return nil }, nil // without asking the database
	}
	if err := checkKey(ctx, a.Store, key, cfg.SecretFile, a.options.purpose()); err != nil {
		return nil, err
	}
	if err := a.rememberFormers(ctx); err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		a.keying.Lock()
		defer a.keying.Unlock()
		a.key.Replace(key)
		return a.register(ctx)
	}, nil
}
