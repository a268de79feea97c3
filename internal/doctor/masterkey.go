package doctor

import (
	"context"
	"errors"
	"slices"
	"strings"

	"portico/internal/app"
	"portico/internal/masterkey"
	"portico/internal/secret"
	"portico/internal/store"
)

// key returns the master keys of the settings, the current one of the database first.
func (d *doctor) key(ctx context.Context, db database) (*secret.Key, error) {
	key, err := app.ReadKeys(d.config)
	if err != nil {
		return nil, err
	}
	var kept []byte
	err = db.store.Read(ctx, func(tx *store.Tx) error {
		kept, _, err = tx.KeyCheck(ctx)
		return err
	})
	if err == nil && !app.UseChecked(key, kept) {
		err = errors.New("no key of the settings belongs to this database")
	}
	return key, err
}

// secondKey judges a change of the master key, for which both files are there.
func (d *doctor) secondKey(ctx context.Context, r *report, db database, kept []byte) {
	key, err := app.ReadKeys(d.config)
	if err != nil {
		found, do, _ := strings.Cut(err.Error(), ": ")
		r.add(Failed, found, do)
		return
	}
	order := key.IDs() // of the settings
	switch {
	case !app.UseChecked(key, kept):
		r.add(Failed, "neither the key in "+d.config.SecretFile+" nor the one in "+d.config.SecretNext+" belongs to this database", "restore the right key from your backup, or correct database_url")
		return
	case db.facts.Schema != db.facts.Newest:
		r.add(Skipped, "a change of the master key cannot be judged before the database is updated", "")
		return
	}
	formers, err := formerKeys(ctx, db)
	if err != nil {
		r.add(Failed, words(err), "")
		return
	}
	current := []string{d.config.SecretFile, d.config.SecretNext}[slices.Index(order, key.ID())]
	switch {
	case len(key.IDs()) == 1:
		r.add(Warning, "secret_file and secret_next_file have the same key", "remove secret_next_file")
	case len(formers) == 0 || formers[0].ID != key.IDs()[1]:
		r.add(Warning, current+" belongs to this database, and the change to the next key has not begun", "run 'portico secret rotate' when every node has both files")
	default:
		d.formerKey(ctx, r, db, key, current)
	}
}

func formerKeys(ctx context.Context, db database) (formers []masterkey.Former, err error) {
	err = db.store.Read(ctx, func(tx *store.Tx) error {
		formers, err = tx.FormerKeys(ctx)
		return err
	})
	return formers, err
}

// incomplete reports whether rows may be left that only a former key opens.
func (d *doctor) incomplete(ctx context.Context, db database) bool {
	if db.facts.Schema != db.facts.Newest {
		return false
	}
	formers, err := formerKeys(ctx, db)
	return err == nil && len(formers) > 0 && formers[0].DoneAt.IsZero()
}

// formerKey says whether the former key can go.
func (d *doctor) formerKey(ctx context.Context, r *report, db database, key *secret.Key, current string) {
	needs, err := app.KeyNeeds(ctx, db.store, key, d.config, d.clock.Now())
	if err != nil {
		r.add(Warning, "it is unknown whether the former key is still needed: "+words(err), "keep it")
		return
	}
	for _, need := range needs {
		found, do, _ := strings.Cut(need, ": ")
		r.add(Warning, "the former key is still needed: "+found, do)
	}
	if len(needs) == 0 {
		r.add(OK, current+" belongs to this database, and the former key can go: write this path in secret_file, remove secret_next_file, and reload every node", "")
	}
}
