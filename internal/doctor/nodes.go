package doctor

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"portico/internal/app"
	"portico/internal/cluster"
	"portico/internal/store"
)

// spare is the share of a database server's connections that should stay free,
// for its operator and for new nodes that start before the old ones end.
const spare = 0.1

// connections checks whether the server allows enough connections for all
// nodes.
func (d *doctor) connections(ctx context.Context, r *report) {
	db := d.database()
	if db.err != nil {
		r.add(Skipped, "the database cannot be read", "")
		return
	}
	f := db.facts
	if f.MaxConnections == 0 {
		r.add(OK, fmt.Sprintf("this node uses up to %d; the server reports no limit", f.Pool), "")
		return
	}
	nodes := 1
	if f.Schema == f.Newest {
		err := db.store.Read(ctx, func(tx *store.Tx) error {
			rows, err := tx.Nodes(ctx)
			nodes = max(1, len(rows))
			return err
		})
		if err != nil {
			r.add(Failed, words(err), "")
			return
		}
	}
	found := fmt.Sprintf("%d of %d are in use; %d node(s) with up to %d each need up to %d", f.Connections, f.MaxConnections, nodes, f.Pool, nodes*f.Pool)
	most := int(math.Floor((1 - spare) * float64(f.MaxConnections)))
	if f.Connections > most || nodes*f.Pool > most {
		r.add(Warning, found, "raise max_connections on the server, or lower pool_max_conns in database_url")
		return
	}
	r.add(OK, found, "")
}

// clocks compares this machine's clock with the database server's.
func (d *doctor) clocks(ctx context.Context, r *report) {
	db := d.database()
	if db.err != nil {
		r.add(Skipped, "the database cannot be read", "")
		return
	}
	ahead, known, err := app.ClockAhead(ctx, db.store, d.clock)
	const step = "synchronize all machines (NTP)"
	switch {
	case err != nil:
		r.add(Failed, words(err), "")
	case !known || ahead == 0:
		r.add(OK, "this machine and the database server agree", "")
	case ahead.Abs() > app.TooFar:
		r.add(Failed, "this machine is ahead of the database server by "+ahead.Round(time.Second).String(), step)
	default:
		r.add(Warning, "this machine is ahead of the database server by "+ahead.Round(time.Second).String(), step)
	}
}

// nodes compares the settings with the running nodes' settings.
func (d *doctor) nodes(ctx context.Context, r *report) {
	db, ok := d.usable(r)
	if !ok {
		return
	}
	key, err := d.key(ctx, db)
	if err != nil || db.facts.Schema != db.facts.Newest {
		r.add(Skipped, "settings cannot be compared without the key file and the newest schema", "")
		return
	}
	var count int
	var differ []string
	err = db.store.Read(ctx, func(tx *store.Tx) error {
		count, differ, err = cluster.NewNode(key, "", d.config.Shared()).Compare(ctx, tx)
		return err
	})
	switch {
	case err != nil:
		r.add(Failed, words(err), "")
	case len(differ) > 0:
		r.add(Warning, seen(count)+", and at least one has other settings: "+strings.Join(differ, ", "),
			"give all nodes the same settings and restart them")
	case count == 0:
		r.add(OK, seen(count), "")
	default:
		r.add(OK, seen(count)+", with these settings", "")
	}
}

// seen describes the number of nodes with a row. A node that crashed keeps its
// row for ten minutes.
func seen(count int) string {
	switch count {
	case 0:
		return "no node is running"
	case 1:
		return "1 node is running, or was within the last 10 minutes"
	}
	return fmt.Sprintf("%d nodes are running, or were within the last 10 minutes", count)
}
