package app

import (
	"context"
	"strings"

	"portico/internal/store"
)

// purpose returns the purpose of a database that this App creates.
func (o Options) purpose() store.Purpose {
	if o.Development {
		return store.Development
	}
	return store.Real
}

// checkPurpose refuses a database that was made for the other purpose. Accounts with a
// published password must never get into a production database, and real accounts never
// into a development database.
func (a *App) checkPurpose(ctx context.Context) error {
	if a.options.Existing {
		return nil // a command serves no visitors
	}
	found, err := a.Store.Purpose(ctx)
	if err != nil || found == store.Undecided || found == a.options.purpose() {
		return err
	}
	why, write := "portico dev has not made this database, and would put people with a published password into it", "leave it out, or name a new one such as sqlite:portico-data/dev/portico.db"
	if found == store.Development {
		why, write = "portico dev has made this database, and its people have a published password", "name a new one, such as sqlite:portico-data/portico.db"
	}
	if path, ok := strings.CutPrefix(a.Config.DatabaseURL, "sqlite:"); ok {
		why = path + ": " + why
	}
	r := a.Config.Report()
	r.Add("database_url", why, write)
	return r.Err()
}
