package app

import (
	"context"

	"portico/internal/store"
)

// unfinished is what to do with a database for which Unfinished is true.
const unfinished = "this database was restored, or set back, since it was served last: stop every node and run 'portico finish-restore', so that no email is sent twice and no used code works again"

// lineages returns the name of this copy of a database, and the name of the copy that was
// served last. Both may be empty.
func lineages(ctx context.Context, s *store.Store) (now, kept string, err error) {
	if now, err = s.Lineage(ctx); err != nil {
		return "", "", err
	}
	err = s.Read(ctx, func(tx *store.Tx) error {
		kept, err = tx.Lineage(ctx)
		return err
	})
	return now, kept, err
}

// Unfinished reports whether a database was restored and FinishRestore has not followed.
func Unfinished(ctx context.Context, s *store.Store) (bool, error) {
	now, kept, err := lineages(ctx, s)
	return kept != "" && kept != now, err
}

// noteLineage stores the name of this copy of the database at its first start. It tells the
// operator of a copy that was restored: serving it anyway is better than an outage after a
// failover while no node ran, which looks the same.
func (a *App) noteLineage(ctx context.Context) error {
	now, kept, err := lineages(ctx, a.Store)
	if err != nil {
		return err
	}
	a.lineage = now
	switch {
	case kept == "" && now != "":
		return a.Store.Write(ctx, func(tx *store.Tx) error { return tx.KeepLineage(ctx, now) })
	case kept != now:
		a.log.Error(unfinished)
	}
	return nil
}

// lookAround compares this node with the others, and follows a database that gets another
// name while the node serves it. After a failover the database is as new as before, and the
// new name is stored. A database that was set back keeps the former one, also if the failover
// was between the two transactions, so that the name follows in the next round.
func (a *App) lookAround(ctx context.Context) error {
	now, err := a.Store.Lineage(ctx)
	if err != nil {
		return err // before Look: the database is set back for one committed Look only
	}
	kept, setBack := now, false
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		err := a.node.Look(ctx, tx)
		if setBack = a.node.SetBack(); err != nil || now == a.lineage {
			return err
		}
		if kept, err = tx.Lineage(ctx); err != nil || kept != a.lineage || setBack || a.wasSetBack {
			return err
		}
		kept = now
		return tx.KeepLineage(ctx, now)
	})
	a.wasSetBack = setBack || err != nil && a.wasSetBack
	if err != nil {
		return err
	}
	if a.lineage = now; kept != now {
		a.log.Error(unfinished)
	}
	return nil
}
