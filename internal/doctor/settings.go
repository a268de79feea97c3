package doctor

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"portico/internal/app"
	"portico/internal/config"
	"portico/internal/secret"
	"portico/internal/store"
)

// settings repeats the problems and warnings of `config check`.
func (d *doctor) settings(r *report, wrong config.Problems) {
	tell := func(state State, all config.Problems) {
		for _, p := range all {
			r.add(state, p.Source+": "+p.Key+": "+p.Why, p.Write)
		}
	}
	tell(Failed, wrong)
	tell(Warning, app.Warnings(d.config))
	if len(r.found) == 0 {
		r.add(OK, "complete", "")
	}
}

// secretFile checks whether the key file belongs to the database.
func (d *doctor) secretFile(ctx context.Context, r *report) {
	file, db := d.config.SecretFile, d.database()
	var kept []byte
	used, err := false, db.err
	if err == nil && db.facts.Schema > 0 {
		err = db.store.Read(ctx, func(tx *store.Tx) (err error) {
			kept, used, err = tx.KeyCheck(ctx)
			return err
		})
	}
	one, missing := secret.ReadKey(file)
	switch {
	case errors.Is(missing, secret.ErrNoKey) && used:
		r.add(Failed, file+" does not exist, and only this key can decrypt the database", "restore it from your backup")
	case errors.Is(missing, secret.ErrNoKey) && d.onSQLite():
		r.add(OK, file+" does not exist yet: the first start creates it", "")
	case errors.Is(missing, secret.ErrNoKey):
		r.add(Failed, file+" does not exist", "copy it from a running node, or create it once with 'portico config new-key'")
	case missing != nil:
		found, do, _ := strings.Cut(missing.Error(), ": ") // the error of package secret includes advice
		r.add(Failed, found, do)
	case err != nil:
		r.add(Skipped, file+" is private, but cannot be compared with the database", "")
	case used && d.config.SecretNext != "":
		d.secondKey(ctx, r, db, kept)
	case used && !bytes.Equal(kept, app.KeyCheck(one)):
		r.add(Failed, "the key in "+file+" does not belong to this database", "restore the right key from your backup, or correct database_url")
	case used && d.incomplete(ctx, db):
		r.add(Failed, "the change of the master key is not complete, and secret_next_file does not name the former key", "put its file back, and run 'portico secret rotate'")
	case used:
		r.add(OK, file+" is private and belongs to this database", "")
	default:
		r.add(OK, file+" is private; the database has no key yet", "")
	}
}

func (d *doctor) onSQLite() bool { return strings.HasPrefix(d.config.DatabaseURL, "sqlite:") }
