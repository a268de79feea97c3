package app

import (
	"context"
	"time"

	"portico/internal/store"
)

const (
	// comparedAtOnce accounts are compared in one transaction, so that other writes wait
	// briefly. The first time all of them follow each other, later comparedEachTime.
	comparedAtOnce   = 500
	comparedEachTime = 20

	compareEvery = 24 * time.Hour
)

// comparison is how far this process has compared the accounts with what lists of people
// are searched by. A node of the version before may have changed accounts without it.
type comparison struct {
	last string    // the id of the account that was compared last
	next time.Time // when to begin again
}

// comparePeople compares some more accounts. The first time it compares all: a start that
// migrated many accounts may have left some to it.
func (a *App) comparePeople(ctx context.Context) error {
	for n := 0; n < comparedEachTime || a.compared.next.IsZero(); n++ {
		if a.clock.Now().Before(a.compared.next) {
			return nil
		}
		held, last := false, ""
		err := a.alone(ctx, func(tx *store.Tx) (err error) {
			held = true
			last, err = tx.IndexPeople(ctx, a.compared.last, comparedAtOnce)
			return err
		})
		if err != nil || !held {
			return err
		}
		if a.compared.last = last; last == "" {
			a.compared.next = a.clock.Now().Add(compareEvery)
		}
	}
	return nil
}
