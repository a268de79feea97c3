package app

import (
	"context"
	"errors"
	"fmt"
	"io"

	"portico/internal/audit"
	"portico/internal/clock"
	"portico/internal/config"
	"portico/internal/people"
	"portico/internal/store"
	"portico/internal/store/archive"
)

// Export writes everything of the installation to an archive, and records that it does.
func (a *App) Export(ctx context.Context, version string, out io.Writer, record bool, report func(rows, all int64)) (r archive.Result, err error) {
	if err := a.noteExport(ctx, "archive"); err != nil {
		return r, err
	}
	return archive.Write(ctx, a.Store, a.key, out, archive.Options{
		Version: version, Record: record, Now: a.clock.Now(), Report: report,
		Former: func() []byte {
			sealed, _ := a.hashing.Former(a.key.ID()) // the current key is always there
			return sealed
		},
	})
}

// ExportPeople writes everybody in the form of other software, and records that it does. It returns
// what was left out, with how many people.
func (a *App) ExportPeople(ctx context.Context, format, realm string, out io.Writer, report func(done, all int64)) (count int64, left map[string]int64, err error) {
	if err := a.noteExport(ctx, format); err != nil {
		return 0, nil, err
	}
	w, left := people.NewWriter(format, realm, out), map[string]int64{}
	err = archive.People(ctx, a.Store, a.key, a.clock.Now(), report, func(p people.Exported) error {
		words, err := w.Write(p)
		if p.Unopened {
			words = append(words, "authenticator app that no key opens")
		}
		for _, word := range words {
			left[word]++
		}
		count++
		return err
	})
	return count, left, errors.Join(err, w.Close())
}

// noteExport records that everybody is exported.
func (a *App) noteExport(ctx context.Context, format string) error {
	return a.Store.Write(ctx, func(tx *store.Tx) error {
		return audit.NewRecord(a.clock).Add(ctx, tx, audit.Fact{Name: audit.Exported, Actor: operator, Detail: format})
	})
}

const operator = "operator"

// ImportOptions are the operator's choices for Import, and where it says how far it is.
type ImportOptions struct {
	EndSessions bool // end all sessions of the archive
	NothingLost bool // the archive has every change: nothing would happen twice

	Tell   func(step string)
	Report func(rows int64)
	Clock  clock.Clock // as in Options
}

// Imported is the result of Import.
type Imported struct {
	archive.Result
	Mails int64 `json:"mails"` // as of Restored
}

// Import makes an empty database the installation of an archive, under the master key of the
// settings. It makes the database, and with SQLite the key, if they are not there yet.
func Import(ctx context.Context, cfg config.Config, from *archive.Archive, o ImportOptions) (r Imported, err error) {
	a, err := New(ctx, cfg, Options{Clock: o.Clock})
	if err != nil {
		return r, err
	}
	defer func() {
		if cerr := a.Close(); err == nil {
			err = cerr
		}
	}()
	if err := from.Fits(ctx, a.Store); err != nil {
		return r, err
	}
	if !a.unserved() {
		return r, store.ErrInUse
	}
	if a.Store.Shared() {
		if _, err := a.deadNodes(ctx, o.Tell); err != nil {
			return r, err
		}
	}
	r.Result, err = from.Fill(ctx, a.Store, archive.Into{Key: a.key, Now: a.clock.Now(), Report: o.Report, Finish: func(tx *store.Tx) (err error) {
		if o.NothingLost {
			return noteRestored(ctx, tx, a.clock, "import")
		}
		r.Mails, err = rewind(ctx, tx, a.clock, "import", o.EndSessions)
		return err
	}})
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("interrupted, nothing was imported: run it again (%w)", err)
	}
	return r, err
}

// noteRestored records that the data of this database is a copy.
func noteRestored(ctx context.Context, tx *store.Tx, c clock.Clock, detail string) error {
	return audit.NewRecord(c).Add(ctx, tx, audit.Fact{Name: audit.Restored, Actor: operator, Detail: detail})
}
