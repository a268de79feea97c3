package app

import (
	"context"
	"fmt"
	"time"

	"portico/internal/cluster"
	"portico/internal/store"
)

// FinishOptions are the operator's choices for FinishRestore.
type FinishOptions struct {
	EndSessions bool // end all sessions of the copy
	NothingLost bool // the copy has every change: only note that it is served from now on
	Force       bool // also when the database looks as it was served last
}

// Finished is the result of FinishRestore.
type Finished struct {
	Done  bool  `json:"finished"` // false if there was nothing to do
	Mails int64 `json:"mails"`    // as of Restored
}

// FinishRestore makes a database safe to serve after the database's own tools have restored
// it. It does what Restore does, so that nothing happens twice. It refuses to run while a
// node serves the database. It changes nothing if the database was not restored since it
// was served last.
func (a *App) FinishRestore(ctx context.Context, options FinishOptions, tell func(string)) (f Finished, err error) {
	if !a.unserved() {
		return f, store.ErrInUse
	}
	now, kept, err := lineages(ctx, a.Store)
	telling := now != "" || !a.Store.Shared() // whether the names identify a copy
	if err != nil || telling && now == kept && !options.Force {
		return f, err
	}
	rows, err := a.deadNodes(ctx, tell)
	if err != nil {
		return f, err
	}
	err = a.Store.Rework(ctx, func(tx *store.Tx) error { // all tables change, and some are large
		for _, r := range rows { // of the time of the copy
			if err := tx.DeleteNode(ctx, r.ID); err != nil {
				return err
			}
		}
		if options.NothingLost {
			return tx.KeepLineage(ctx, now)
		}
		if f.Mails, err = rewind(ctx, tx, a.clock, "", options.EndSessions); err != nil {
			return err
		}
		return tx.KeepLineage(ctx, now)
	})
	f.Done = err == nil
	return f, err
}

// deadNodes returns the rows of nodes, none of which serves the database. A node that was
// killed left its row, and so did each node that served when the copy was made.
func (a *App) deadNodes(ctx context.Context, tell func(string)) (rows []cluster.NodeRow, err error) {
	if rows, err = a.nodeRows(ctx); err != nil || len(rows) == 0 || !a.Store.Shared() {
		return rows, err
	}
	tell("waiting to see whether a node serves this database")
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(2 * cluster.NodeBeat):
	}
	before := map[string]int64{}
	for _, r := range rows {
		before[r.ID] = r.Beat
	}
	rows, err = a.nodeRows(ctx)
	for _, r := range rows {
		if beat, known := before[r.ID]; !known || beat != r.Beat {
			return nil, fmt.Errorf("the node at %s serves this database: stop every node first", r.Keys.Host)
		}
	}
	return rows, err
}

func (a *App) nodeRows(ctx context.Context) (rows []cluster.NodeRow, err error) {
	err = a.Store.Read(ctx, func(tx *store.Tx) error {
		rows, err = tx.Nodes(ctx)
		return err
	})
	return rows, err
}
