package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"portico/internal/app"
	"portico/internal/fault"
	"portico/internal/passkey"
	"portico/internal/store"
)

// lookLimit is shorter than limit, so that checks that need the database can
// still report.
const lookLimit = 4 * time.Second

// database is the opened database. store is usable if err is nil.
type database struct {
	store *store.Store
	facts store.Facts
	err   error
}

func (d *doctor) look() (db database) {
	defer fault.Recover(&db.err) // close asks for the result again
	if !d.config.Known("database_url") {
		return database{err: errors.New("database_url could not be read")}
	}
	ctx, cancel := context.WithTimeout(d.base, lookLimit)
	defer cancel()
	if db.store, db.err = store.Look(ctx, d.config.DatabaseURL); db.err == nil {
		db.facts, db.err = db.store.Facts(ctx)
	}
	return db
}

// passkeyCheck returns the check that counts the passkeys of another host.
func (d *doctor) passkeyCheck() check {
	return check{"passkeys", []string{"database_url", "public_url", "passkeys"}, d.passkeys}
}

// storageChecks returns the checks of the database and of the key file.
func (d *doctor) storageChecks() []check {
	needs := []string{"database_url"}
	checks := []check{
		{"secret_file", []string{"secret_file", "secret_next_file", "database_url"}, d.secretFile},
		{"database", needs, d.databaseItself},
	}
	if d.onSQLite() {
		checks = append(checks, check{"disk", needs, d.disk}, check{"clock", needs, d.ownClock})
	} else {
		checks = append(checks,
			check{"connections", needs, d.connections},
			check{"clock", needs, d.clocks},
			check{"nodes", append(needs, "secret_file"), d.nodes})
	}
	return append(checks, check{"outbox", needs, d.outbox}, d.passkeyCheck())
}

func (d *doctor) databaseItself(ctx context.Context, r *report) {
	db := d.database()
	const running = "check database_url, and that the database is running"
	write := running
	if errors.Is(db.err, fs.ErrPermission) {
		write = "run this as the user that runs 'portico serve'"
	}
	switch {
	case d.onSQLite() && errors.Is(db.err, fs.ErrNotExist):
		r.add(Warning, "there is no file "+d.file()+" yet", "the first start creates it; if it should exist, correct database_url or run this in the folder of your installation")
		return
	case db.err != nil:
		why, _ := strings.CutSuffix(words(db.err), ": "+running) // that of PostgreSQL has it
		r.add(Failed, why, write)
		return
	}
	found := fmt.Sprintf("%s %s, schema %d", db.facts.Engine, db.facts.Version, db.facts.Schema)
	purpose, err := db.store.Purpose(ctx)
	restored := false
	if err == nil && db.facts.Schema == db.facts.Newest {
		if err = db.store.CheckHome(ctx); err == nil {
			restored, err = app.Unfinished(ctx, db.store)
		}
	}
	switch strange := db.store.Bears(db.facts); {
	case strange != nil:
		why, write, _ := strings.Cut(strange.Error(), ": ") // the error of package store includes advice
		r.add(Failed, why, write)
	case err != nil:
		why, write, _ := strings.Cut(words(err), ": ")
		r.add(Failed, why, write)
	case purpose == store.Development:
		r.add(Failed, "this database belongs to portico dev, and its users have a published password", "use another database in database_url")
	case db.facts.Elsewhere != "":
		r.add(Warning, "search_path leads to a schema without Portico data, and the schema "+db.facts.Elsewhere+" has some", "correct search_path in database_url, or of the role; the first start would begin a second installation")
	case db.facts.Schema == 0:
		r.add(Warning, fmt.Sprintf("%s %s contains no Portico data", db.facts.Engine, db.facts.Version), "the first start fills it; if it should hold your data, correct database_url")
	case db.facts.Schema < db.facts.Newest:
		r.add(Warning, fmt.Sprintf("%s, and this version needs %d", found, db.facts.Newest), "the next start updates it, or run 'portico migrate'")
	case restored:
		r.add(Failed, found+", and it was restored or set back since it was served last", "stop every node and run 'portico finish-restore' (docs/operating/backup.md)")
	default:
		r.add(OK, found, "")
	}
}

// usable reports whether the database contains data. Otherwise it adds the
// reason for skipping the check.
func (d *doctor) usable(r *report) (database, bool) {
	db := d.database()
	switch {
	case db.err != nil:
		r.add(Skipped, "the database cannot be read", "")
	case db.facts.Schema == 0:
		r.add(Skipped, "the database contains no Portico data yet", "")
	}
	return db, db.err == nil && db.facts.Schema > 0
}

// passkeys counts the passkeys that public_url has left behind.
func (d *doctor) passkeys(ctx context.Context, r *report) {
	if !d.config.Passkeys || d.config.PublicURL == nil {
		r.add(Skipped, "passkeys are off, or public_url is not set", "")
		return
	}
	db, ok := d.usable(r)
	if !ok {
		return
	}
	if db.facts.Schema < db.facts.Newest {
		r.add(Skipped, "the database has an older schema", "")
		return
	}
	host, lost := d.config.PublicURL.Hostname(), int64(0)
	err := db.store.Read(ctx, func(tx *store.Tx) (err error) {
		lost, err = tx.CountPasskeys(ctx, host)
		return err
	})
	switch {
	case err != nil:
		r.add(Failed, words(err), "")
	case lost > 0:
		r.add(Warning, fmt.Sprintf("passkeys that were made for another host than %s do not work (found %d)", host, lost), "restore public_url, or ask their owners to add new ones")
	case !passkey.Usable(d.config.PublicURL):
		r.add(Skipped, "browsers cannot use passkeys at "+d.config.PublicURL.String()+", which has no name or no https", "")
	default:
		r.add(OK, "all of them are for "+host, "")
	}
}

// file returns the path of a SQLite database.
func (d *doctor) file() string { return strings.TrimPrefix(d.config.DatabaseURL, "sqlite:") }

// words returns the error for an operator: the cause of a fault.
func words(err error) string {
	if f, ok := errors.AsType[*fault.Error](err); ok && errors.Unwrap(f) != nil {
		return errors.Unwrap(f).Error()
	}
	return err.Error()
}
